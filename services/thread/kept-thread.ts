// A worker thread that is started again whenever it dies or stands still, each time with a report of why.
import { openThread, StuckThread, type Thread, type ThreadOptions } from './thread.ts'

const defaultSettleTime = 5_000

export interface KeptThread<Api> {
  /** The methods of the thread that runs now; while none runs, calls reject as unavailable. */
  api: Api
  /** Ends the thread for good. `last` is done with the one that runs, if one does. */
  close(last: (api: Api) => Promise<void>): Promise<void>
}

export interface KeptThreadOptions<Api> extends ThreadOptions {
  /** Told why a thread died or could not start again, and of errors that its own work met. */
  report(error: unknown): void
  /** Done first with each thread that starts, without anyone waiting for it; one that fails here makes room for another. */
  begin?(api: Api): Promise<void>
  /**
   * A thread that dies sooner than this after its start is started again so much later, in milliseconds; one that stood
   * still at once.
   */
  settleTime?: number
}

/** Waits until the first thread serves; rejects with what stopped its start. */
export async function openKeptThread<Api>(options: KeptThreadOptions<Api>): Promise<KeptThread<Api>> {
  const { report, settleTime = defaultSettleTime } = options
  let closing = false
  let thread = await start()

  async function start(): Promise<Thread<Api>> {
    const started = await openThread<Api>(options)
    const startedAt = performance.now()
    started.ended.then((cause) => {
      if (closing) return
      report(cause)
      const isEarly = performance.now() - startedAt < settleTime
      const wait = isEarly && !(cause instanceof StuckThread) ? settleTime : 0
      setTimeout(restart, wait).unref()
    })
    options.begin?.(started.api).catch((error) => {
      report(error)
      started.terminate().catch(report)
    })
    return started
  }

  async function restart() {
    if (closing) return
    try {
      thread = await start()
      if (closing) await thread.terminate()
    } catch (error) {
      report(error)
      setTimeout(restart, settleTime).unref()
    }
  }

  return {
    api: new Proxy({} as object, {
      get: (_, method) => (thread.api as Record<PropertyKey, unknown>)[method],
    }) as Api,
    async close(last) {
      closing = true
      // A thread that is gone has nothing left to close.
      await last(thread.api).catch(report)
      await thread.terminate()
    },
  }
}
