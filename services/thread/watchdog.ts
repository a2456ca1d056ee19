// Detects a thread whose event loop is blocked. It measures the CPU time of the thread, because on a loaded machine a healthy
// thread may wait long for a CPU.
//
// Work that awaits something does not block the loop, so one limit serves short and long methods.

/** Number of checks per CPU limit. */
const checksPerLimit = 4
/** Maximum consecutive checks without a CPU time: the thread may be blocked in a system call. */
const maxMissing = 48

interface Watched {
  /** Requests a response from the thread's event loop. */
  ask(): void
  /** Total CPU time of the thread in milliseconds. */
  cpuTime(): Promise<number>
  /** Called once. */
  end(): void
}

export type Watchdog = ReturnType<typeof startWatchdog>

/** Ends the thread if it uses more than `cpuLimit` milliseconds of CPU time without a response. */
export function startWatchdog(cpuLimit: number, { ask, cpuTime, end }: Watched) {
  let isAsked = false
  let answers = 0
  let begunAt = Number.POSITIVE_INFINITY
  /** Counts checks rather than time, because the clock advances while the process is suspended. */
  let missing = 0

  async function check() {
    if (!isAsked) {
      isAsked = true
      return ask()
    }
    missing += 1
    if (missing > maxMissing) return fail()
    const answersBefore = answers
    const cpu = await cpuTime()
    if (answers !== answersBefore) return
    missing = 0
    begunAt = Math.min(begunAt, cpu)
    if (cpu - begunAt > cpuLimit) fail()
  }

  const stop = () => clearInterval(timer)
  const fail = () => {
    stop()
    end()
  }
  // A thread that has ended has no CPU time.
  const timer = setInterval(() => check().catch(() => {}), cpuLimit / checksPerLimit)
  timer.unref()
  return {
    /** Call this for each response. */
    answered() {
      answers += 1
      isAsked = false
      begunAt = Number.POSITIVE_INFINITY
      missing = 0
    },
    stop,
  }
}
