// Work that nobody waits for: done at the start, and then every hour.

export interface Round {
  isFirst: boolean
  /** Long work asks between its steps. */
  isClosed(): boolean
}

const intervalMs = 60 * 60_000

/** A round that fails is reported; the next one tries again. Two rounds never run at once. */
export function openHourly(work: (round: Round) => Promise<void>, report: (error: unknown) => void) {
  let closed = false
  let last = Promise.resolve()
  const begin = (isFirst: boolean) => {
    last = last.then(() => work({ isFirst, isClosed: () => closed })).catch(report)
  }
  begin(true)
  const timer = setInterval(() => begin(false), intervalMs).unref()

  return {
    /** Begins no more, and resolves when what is under way has ended. */
    async close() {
      closed = true
      clearInterval(timer)
      await last
    },
  }
}
