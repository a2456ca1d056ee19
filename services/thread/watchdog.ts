// Detects a thread whose event loop is blocked. It measures the processor time of the thread, because on a loaded machine a healthy
// thread may wait long for a processor.
//
// Work that awaits something does not block the loop, so one limit serves short and long methods.

/** Looks that fit into the limit. */
const looksPerLimit = 4
/** Consecutive checks without a processor-time report from the thread: it may be blocked in a system call. */
const maxUntold = 48

interface Watched {
  /** Has the thread answer, by way of its event loop. */
  ask(): void
  /** Milliseconds of processor time that the thread has taken so far. */
  cpuTime(): Promise<number>
  /** Called once. */
  end(): void
}

export type Watchdog = ReturnType<typeof startWatchdog>

/** Has the thread ended that takes more than `cpuLimit` milliseconds of processor time without an answer. */
export function startWatchdog(cpuLimit: number, { ask, cpuTime, end }: Watched) {
  let isAsked = false
  let answers = 0
  let begunAt = Number.POSITIVE_INFINITY
  /** Checks are counted, because the clock advances while the process itself is suspended. */
  let untold = 0

  async function look() {
    if (!isAsked) {
      isAsked = true
      return ask()
    }
    untold += 1
    if (untold > maxUntold) return stuck()
    const answersBefore = answers
    const cpu = await cpuTime()
    if (answers !== answersBefore) return
    untold = 0
    begunAt = Math.min(begunAt, cpu)
    if (cpu - begunAt > cpuLimit) stuck()
  }

  const stop = () => clearInterval(timer)
  const stuck = () => {
    stop()
    end()
  }
  // A thread that has ended reports no processor time.
  const timer = setInterval(() => look().catch(() => {}), cpuLimit / looksPerLimit)
  timer.unref()
  return {
    /** To be called for each answer. */
    answered() {
      answers += 1
      isAsked = false
      begunAt = Number.POSITIVE_INFINITY
      untold = 0
    },
    stop,
  }
}
