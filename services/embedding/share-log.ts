// A log line each minute while sections are embedded: how many are done, and how long the rest takes at this pace.

const interval = 60_000

/** Call the result often, with the number of sections of all projects and of those that wait. `now`: in milliseconds. */
export function createShareLog(now: () => number, tell: (line: string) => void) {
  let last: { at: number; waiting: number } | null = null
  let isTold = false

  return (total: number, waiting: number) => {
    if (waiting === 0) {
      if (isTold) tell(`all ${total} sections are embedded`)
      last = null
      isTold = false
      return
    }
    const at = now()
    last ??= { at, waiting }
    if (at - last.at < interval) return
    const pace = (last.waiting - waiting) / (at - last.at)
    const minutes = Math.ceil(waiting / pace / 60_000)
    const rest = pace > 0 ? `, about ${minutes} min left` : ''
    tell(`embedded ${total - waiting} of ${total} sections${rest}`)
    last = { at, waiting }
    isTold = true
  }
}
