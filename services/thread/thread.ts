// A worker thread that serves an object of async methods, and its caller's side, which starts it again whenever it dies or
// stands still. Errors keep their reason on the way.
import { basename } from 'node:path'
import { parentPort, Worker } from 'node:worker_threads'
import { DomainError, type FieldErrors, type Reason } from '../errors.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

/** Milliseconds. */
const defaultSettleTime = 5_000

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

/** A call of the thread's for a method of its owner's, and the answer. */
type Asking = { asks: Call }
type Answer = { answers: Reply }

type Reply = { id: number; value: unknown } | { id: number; error: PlainError }

type Ready = { ready: true }
/** Asked of the thread, and its answer. */
type Beat = { beat: true }
type Report = { report: PlainError }
type News = { news: string; level: keyof Log }

/** In the thread: answers calls with the methods of `served`, from now on. */
export function serveThread(served: Served): void {
  const port = parentPort
  if (port === null) throw new Error('serveThread is called in a worker thread')
  port.on('message', async (message: Call | Beat | Answer) => {
    if ('beat' in message) return port.postMessage(message)
    if ('answers' in message) return askings.settle(message.answers)
    port.postMessage(await serve(served, message))
  })
  port.postMessage({ ready: true } satisfies Ready)
}

const askings = createCalls()

/** In a thread that serves: calls a method that its owner serves it. */
export function askOwner<Result>(method: string, ...args: unknown[]): Promise<Result> {
  const asked = askings.make(method, args)
  parentPort?.postMessage({ asks: asked.call } satisfies Asking)
  return asked.result as Promise<Result>
}

/** Where lines go that are no errors of our own. */
export interface Log {
  info(line: string): void
  warn(line: string): void
}

/** In the thread: its owner's log. */
export const ownersLog: Log = {
  info: (news) => parentPort?.postMessage({ news, level: 'info' } satisfies News),
  warn: (news) => parentPort?.postMessage({ news, level: 'warn' } satisfies News),
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
  /** Calls one of them by its name. */
  call(method: string, args: unknown[]): Promise<unknown>
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
  log?: Log
  /** What the thread may ask of its owner. */
  serves?: Served
}

/** Starts the thread and waits until it serves. Rejects with what stopped its start. */
export async function openThread<Api>(options: ThreadOptions): Promise<Thread<Api>> {
  const { entry, workerData, heartbeatTimeout, report, log, serves = {} } = options
  const worker = new Worker(entry, { workerData, execArgv: ['--disable-warning=ExperimentalWarning'] })
  const name = basename(entry.pathname, '.ts')
  const calls = createCalls()
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  let cause: unknown
  let gone: DomainError | null = null
  let heartbeat: Heartbeat | null = null

  worker.on('message', async (message: Reply | Ready | Report | News | Beat | Asking) => {
    // Any message is a sign of life: the answer to a beat may be queued after those of many calls.
    heartbeat?.answered()
    if ('beat' in message) return
    if ('ready' in message) return ready.resolve()
    if ('report' in message) return report(toError(message.report))
    if ('news' in message) return log?.[message.level](message.news)
    if ('asks' in message) {
      return worker.postMessage({ answers: await serve(serves, message.asks) } satisfies Answer)
    }
    calls.settle(message)
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', (code) => {
    heartbeat?.stop()
    cause ??= new Error(`the thread ${name} ended with code ${code}`)
    gone = new ThreadGone(cause)
    calls.reject(gone)
    ready.reject(cause)
    ended.resolve(cause)
  })

  async function call(method: string, args: unknown[]) {
    if (gone) throw gone
    const made = calls.make(method, args)
    worker.postMessage(made.call)
    return made.result
  }

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
    api: toApi<Api>(call),
    call,
    ended: ended.promise,
    async terminate() {
      await worker.terminate()
    },
  }
}

/** An object on which every name is a method that is called on the thread. */
export function toApi<Api>(call: (method: string, args: unknown[]) => Promise<unknown>): Api {
  return new Proxy({} as object, {
    get: (_, method) => (method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args)),
  }) as Api
}

export interface SupervisedThread<Api> {
  /** The methods of the thread that runs now; while none runs, calls reject as unavailable. */
  api: Api
  /** The same by name. */
  call(method: string, args: unknown[]): Promise<unknown>
  /** Ends the thread for good. `last` is done with the one that runs, if one does. */
  close(last: (api: Api) => Promise<void>): Promise<void>
}

export interface SupervisedThreadOptions<Api> extends ThreadOptions {
  /** Told why a thread died or could not start again, and of errors that its own work met. */
  report(error: unknown): void
  /** Done first with each thread that starts, without anyone waiting for it; one that fails here makes room for another. */
  begin?(api: Api): Promise<void>
  /**
   * Milliseconds. A thread that dies sooner than this after its start is started again only after that time; one that stood
   * still at once.
   */
  settleTime?: number
}

/** Waits until the first thread serves; rejects with what stopped its start. */
export async function openSupervisedThread<Api>(
  options: SupervisedThreadOptions<Api>,
): Promise<SupervisedThread<Api>> {
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

  const call = (method: string, args: unknown[]) => thread.call(method, args)
  return {
    api: toApi<Api>(call),
    call,
    async close(last) {
      closing = true
      // A thread that is gone has nothing left to close.
      await last(thread.api).catch(report)
      await thread.terminate()
    },
  }
}

async function serve(served: Served, { id, method, args }: Call): Promise<Reply> {
  try {
    return { id, value: await served[method]?.(...args) }
  } catch (error) {
    return { id, error: toPlain(error) }
  }
}

/** Calls under way, of one side to the other. */
function createCalls() {
  const underWay = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  return {
    make(method: string, args: unknown[]): { call: Call; result: Promise<unknown> } {
      lastId += 1
      const made = Promise.withResolvers<unknown>()
      underWay.set(lastId, made)
      return { call: { id: lastId, method, args }, result: made.promise }
    },
    settle(reply: Reply) {
      const made = underWay.get(reply.id)
      underWay.delete(reply.id)
      if ('error' in reply) made?.reject(toError(reply.error))
      else made?.resolve(reply.value)
    },
    reject(cause: unknown) {
      for (const made of underWay.values()) made.reject(cause)
      underWay.clear()
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
