// A worker thread that serves an object of async methods, and its caller's side. Errors keep their reason on the way.
import { basename } from 'node:path'
import { parentPort, Worker } from 'node:worker_threads'
import { DomainError, type FieldErrors, type Reason } from '../errors.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

/** Methods that a thread serves: arguments and results are cloned. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of any method
export type Served = Record<string, (...args: any[]) => Promise<unknown>>

interface Call {
  id: number
  method: string
  args: unknown[]
}

interface PlainError {
  message: string
  reason: Reason | null
  fields: FieldErrors | null
  retryAfter: number | null
}

type Reply = { id: number; value: unknown } | { id: number; error: PlainError }

type Ready = { ready: true }
/** Asked of the thread, and its answer. */
type Beat = { beat: true }
type Report = { report: PlainError }

/** In the thread: answers calls with the methods of `served`, from now on. */
export function serveThread(served: Served): void {
  const port = parentPort
  if (port === null) throw new Error('serveThread is called in a worker thread')
  port.on('message', async (message: Call | Beat) => {
    if ('beat' in message) return port.postMessage(message)
    const { id, method, args } = message
    let reply: Reply
    try {
      reply = { id, value: await served[method]?.(...args) }
    } catch (error) {
      reply = { id, error: toPlain(error) }
    }
    port.postMessage(reply)
  })
  port.postMessage({ ready: true } satisfies Ready)
}

/** In the thread: tells the caller's side of an error that no call waits for. */
export function reportFromThread(error: unknown): void {
  parentPort?.postMessage({ report: toPlain(error) } satisfies Report)
}

/** The thread has ended: what it was doing, and what it was asked for since, may not have been done. */
export class ThreadGone extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'The work was interrupted; try again.', null, cause, 1)
  }
}

export interface Thread<Api> {
  /** The methods that the thread serves; a call under way when the thread dies rejects as unavailable. */
  api: Api
  /** Settles when the thread has ended, with the cause, or with how it ended where there was none. */
  ended: Promise<unknown>
  terminate(): Promise<void>
}

/** How a thread ended that stood still. */
export class StuckThread extends Error {}

export interface ThreadOptions {
  entry: URL
  workerData: unknown
  /** Milliseconds that the thread may stand still before it is ended; see heartbeat.ts. */
  heartbeatTimeout: number
  /** Told of errors that the thread's own work met. */
  report(error: unknown): void
}

/** Starts the thread and waits until it serves. Rejects with what stopped its start. */
export async function openThread<Api>(options: ThreadOptions): Promise<Thread<Api>> {
  const { entry, workerData, heartbeatTimeout, report } = options
  const worker = new Worker(entry, { workerData, execArgv: ['--disable-warning=ExperimentalWarning'] })
  const name = basename(entry.pathname, '.ts')
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  let cause: unknown
  let lastId = 0
  let gone: DomainError | null = null
  let heartbeat: Heartbeat | null = null

  worker.on('message', (message: Reply | Ready | Report | Beat) => {
    // Whatever it says, it goes on: its answer to a beat may stand behind many calls.
    heartbeat?.answered()
    if ('beat' in message) return
    if ('ready' in message) return ready.resolve()
    if ('report' in message) return report(toError(message.report))
    const call = calls.get(message.id)
    calls.delete(message.id)
    if ('error' in message) call?.reject(toError(message.error))
    else call?.resolve(message.value)
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', (code) => {
    heartbeat?.stop()
    cause ??= new Error(`the thread ${name} ended with code ${code}`)
    gone = new ThreadGone(cause)
    for (const call of calls.values()) call.reject(gone)
    calls.clear()
    ready.reject(cause)
    ended.resolve(cause)
  })

  const call = (method: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone)
      lastId += 1
      calls.set(lastId, { resolve, reject })
      worker.postMessage({ id: lastId, method, args } satisfies Call)
    })

  await ready.promise
  heartbeat = startHeartbeat(
    heartbeatTimeout,
    () => worker.postMessage({ beat: true } satisfies Beat),
    () => {
      cause = new StuckThread(`the thread ${name} stood still and was ended`)
      worker.terminate()
    },
  )
  return {
    api: new Proxy({} as object, {
      get: (_, method) =>
        method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args),
    }) as Api,
    ended: ended.promise,
    async terminate() {
      await worker.terminate()
    },
  }
}

function toPlain(error: unknown): PlainError {
  if (error instanceof DomainError) {
    const { message, reason, fields, retryAfter } = error
    return { message, reason, fields, retryAfter }
  }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    reason: null,
    fields: null,
    retryAfter: null,
  }
}

function toError({ message, reason, fields, retryAfter }: PlainError): Error {
  return reason === null
    ? new Error(message)
    : new DomainError(reason, message, fields, undefined, retryAfter)
}
