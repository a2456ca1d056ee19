// Limits concurrent work of one kind: in the process, and for one team.
import { rateLimited } from './errors.ts'

const retryAfterSeconds = 10

/** Each call takes a place and answers the function that releases it. Throws DomainError rate_limited with `sentence` where none is free. */
export function createTurnstile(max: { all: number; team: number }, sentence: string) {
  const byTeam = new Map<string, number>()
  let all = 0
  return (team: string): (() => void) => {
    const count = byTeam.get(team) ?? 0
    if (all >= max.all || count >= max.team) throw rateLimited(sentence, retryAfterSeconds)
    byTeam.set(team, count + 1)
    all++
    return () => {
      const left = byTeam.get(team)! - 1
      if (left === 0) byTeam.delete(team)
      else byTeam.set(team, left)
      all--
    }
  }
}
