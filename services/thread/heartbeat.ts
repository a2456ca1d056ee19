// Notices a thread that stands still: one whose event loop does not answer.
//
// Work that awaits something never stands still, however long it takes, so one limit serves short and long methods alike.

/** Milliseconds that each thread may stand still. Above what its longest step takes on a slow machine, all else yields. */
export const heartbeatTimeouts = {
  /** Readers wait for it. */
  search: 3_000,
  /** Large files of a site are read in one step, and pages written in one transaction. */
  sync: 30_000,
  worker: 30_000,
  embedding: 30_000,
  /** The weights are loaded in one step. */
  model: 30_000,
  /** The largest segments are merged in one step. */
  index: 60_000,
}

/** Beats in a timeout. They are counted, since a timer says nothing where the process itself stood still. */
const beats = 4

export interface Heartbeat {
  /** To be called for each answer. */
  answered(): void
  stop(): void
}

/** Calls `ask` in regular steps, and `stuck` once where no answer has come for `timeout` milliseconds. */
export function startHeartbeat(timeout: number, ask: () => void, stuck: () => void): Heartbeat {
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered === 0) ask()
    if (unanswered === beats) {
      stop()
      stuck()
    }
    unanswered += 1
  }, timeout / beats)
  timer.unref()
  const stop = () => clearInterval(timer)
  return {
    answered() {
      unanswered = 0
    },
    stop,
  }
}
