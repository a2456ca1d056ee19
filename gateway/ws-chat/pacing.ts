// How partial frames are spaced. A client that negotiated gets each as it comes. Older widgets show nothing after
// exactly one partial frame, draw each 100 ms late, and drop what is not drawn when the final comes.

/** What an older widget needs between the last partial frame and the final (200), with something for the way. */
const restMs = 260

interface Pacing {
  partial(frame: string): void
  /** Resolves when the final frame may be sent, or the reader is gone. */
  rest(gone: AbortSignal): Promise<void>
}

export function createPlainPacing(push: (frame: string) => void): Pacing {
  return { partial: push, rest: async () => {} }
}

/**
 * The first partial frame waits for the second; without one it is never sent, for the final holds the whole answer.
 *
 *   a, b, c, final  →  –, a b, c, (260 ms) final
 *   a, final        →  –, final
 */
export function createOldPacing(
  push: (frame: string) => void,
  now: () => number = () => performance.now(),
): Pacing {
  let first: string | null = null
  let sentAt: number | null = null
  return {
    partial(frame) {
      if (first === null) {
        first = frame
        return
      }
      if (sentAt === null) push(first)
      push(frame)
      sentAt = now()
    },
    async rest(gone) {
      if (sentAt === null || gone.aborted) return
      const left = sentAt + restMs - now()
      if (left > 0) await pause(left, gone)
    },
  }
}

function pause(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      gone.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    gone.addEventListener('abort', done)
  })
}
