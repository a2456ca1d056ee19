// Writers of one project take turns within the process.

export function createTurns() {
  const last = new Map<string, Promise<unknown>>()

  /** Runs `work` when all that was given for the project before has ended, however it ended. */
  return <Answer>(project: string, work: () => Promise<Answer>): Promise<Answer> => {
    const turn = (last.get(project) ?? Promise.resolve()).then(work, work)
    last.set(project, turn)
    const forget = () => {
      if (last.get(project) === turn) last.delete(project)
    }
    turn.then(forget, forget)
    return turn
  }
}
