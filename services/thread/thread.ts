// Worker threads, with calls in both directions between a thread and its owner. The owner starts a thread on the first call, ends
// it when it is idle, and restarts it if it crashes or hangs.
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, Worker } from 'node:worker_threads'
import { DomainError, type Reason } from '../errors.ts'
import { type ThreadKind, threadKinds } from './kinds.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** Milliseconds. A thread that crashes sooner after its start restarts after this time, one that hung restarts immediately. */
const defaultSettleTime = 5_000
/** Milliseconds between two checks of a thread's buffers. */
const bufferInterval = 250

/** Log for lines that are not errors. */
export interface Log {
  info(line: string): void
  warn(line: string): void
}

/** Methods for the other side. Arguments and results are cloned. `close` is called before a thread ends. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of any method
export type Served = Record<string, (...args: any[]) => unknown>

type Message =
  | { id: number; method: string; args: unknown[] }
  | { id: number; value: unknown }
  | { id: number; error: PlainError }

/** An error as sent between threads, which lose its class. */
type PlainError = Pick<DomainError, 'message' | 'fields' | 'retryAfter'> & { reason: Reason | null }

/** The thread has ended. Its pending calls may be incomplete. */
export class ThreadGone extends DomainError {
  /** Whether the call was the oldest pending one. A thread with sequential calls then ended in this call. */
  readonly wasFirst: boolean

  constructor(cause: unknown, wasFirst = false) {
    super('unavailable', 'The work was interrupted; try again.', null, cause, 1)
    this.wasFirst = wasFirst
  }
}

/** A thread hung or used too much memory. It may restart immediately. */
class EndedThread extends Error {}

/** One side of a thread: calls the other side, and responds to its calls. */
function createPeer(served: Served, post: (message: Message) => void) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  async function answer({ id, method, args }: Extract<Message, { method: string }>): Promise<Message> {
    try {
      return { id, value: await served[method]?.(...args) }
    } catch (error) {
      return { id, error: toPlain(error) }
    }
  }

  return {
    call(method: string, args: unknown[]): Promise<unknown> {
      lastId += 1
      const reply = Promise.withResolvers<unknown>()
      pending.set(lastId, reply)
      post({ id: lastId, method, args })
      return reply.promise
    },
    /** Fire and forget. */
    notify(method: string, ...args: unknown[]): void {
      post({ id: 0, method, args })
    },
    async receive(message: Message): Promise<void> {
      if ('method' in message) return post(await answer(message))
      const reply = pending.get(message.id)
      pending.delete(message.id)
      if ('error' in message) reply?.reject(toError(message.error))
      else reply?.resolve(message.value)
    },
    rejectAll(cause: unknown): void {
      for (const [at, reply] of [...pending.values()].entries()) reply.reject(new ThreadGone(cause, at === 0))
      pending.clear()
    },
  }
}

function toPlain(error: unknown): PlainError {
  if (error instanceof DomainError) {
    const { message, reason, fields, retryAfter } = error
    return { message, reason, fields, retryAfter }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { message, reason: null, fields: null, retryAfter: null }
}

function toError({ message, reason, fields, retryAfter }: PlainError): Error {
  return reason === null
    ? new Error(message)
    : new DomainError(reason, message, fields, undefined, retryAfter)
}

/** Methods of this thread. `beat` responds to the watchdog. */
const servedHere: Served = { beat() {} }
const owner = createPeer(servedHere, (message) => parentPort?.postMessage(message))

/** For the thread: starts to serve the methods of `served`. */
export function serveThread(kind: keyof typeof threadKinds, served: Served): void {
  // On Linux, this sets the priority of the thread, relative to that of the process.
  const priority = getPriority(process.pid) + threadKinds[kind].priority
  if (process.platform === 'linux') setPriority(Math.min(priority, 19))
  Object.assign(servedHere, served)
  parentPort!.on('message', owner.receive)
  owner.notify('ready')
}

/** For the thread: calls a method of its owner. */
export function askOwner<Result>(method: string, ...args: unknown[]): Promise<Result> {
  return owner.call(method, args) as Promise<Result>
}

/** For the thread: the log of its owner. */
export const ownersLog: Log = {
  info: (line) => owner.notify('log', 'info', line),
  warn: (line) => owner.notify('log', 'warn', line),
}

/** For the thread: reports an error outside of calls. */
export function reportFromThread(error: unknown): void {
  owner.notify('report', toPlain(error))
}

export interface ThreadOptions<Api> extends Omit<ThreadKind, 'priority'> {
  entry: URL
  workerData: unknown
  /** Receives the reason if the thread crashes or cannot restart, and errors of its own work. */
  report(error: unknown): void
  log?: Log
  /** Methods for the thread. */
  serves?: Served
  /** Runs in the background after each start of the thread. If it fails, the thread restarts. */
  begin?(api: Api): Promise<void>
  /** Milliseconds: see defaultSettleTime. */
  settleTime?: number | undefined
}

/** Creates a thread that starts with `start` or the first call. It restarts if it crashes while it is needed. */
export function createThread<Api extends object>(options: ThreadOptions<Api>) {
  const { idleTimeout, report, begin, settleTime = defaultSettleTime } = options
  let running: Promise<RunningThread> | null = null
  /** Resolves once the previous thread has ended, since both may lock the same file. */
  let ended = Promise.resolve()
  /** Set while no thread may start. */
  let gone: ThreadGone | null = null
  let calls = 0
  /** Timer of the next start or end. */
  let timer: NodeJS.Timeout | undefined
  const closing = new AbortController()

  function start(): Promise<RunningThread> {
    if (gone) return Promise.reject(gone)
    running ??= launch()
    return running
  }

  function launch() {
    clearTimeout(timer)
    let servedAt = Number.POSITIVE_INFINITY
    const launched = ended.then(() =>
      openWorker(options, closing.signal, (cause) => {
        const isEarly = performance.now() - servedAt < settleTime && !(cause instanceof EndedThread)
        if (running === launched) startAgain(cause, isEarly ? settleTime : 0)
      }),
    )
    launched.then(
      (thread) => {
        servedAt = performance.now()
        prepare(thread)
      },
      () => {},
    )
    return launched
  }

  /** Counts as a call, so that a thread that cannot begin is restarted. */
  async function prepare(thread: RunningThread) {
    calls += 1
    try {
      await begin?.(api)
    } catch (error) {
      if (!(error instanceof ThreadGone)) report(error)
      await thread.terminate()
    }
    calls -= 1
    endWhenIdle()
  }

  function startAgain(cause: unknown, wait: number) {
    running = null
    report(cause)
    const isWanted = calls > 0 || idleTimeout === null
    if (wait > 0) gone = new ThreadGone(cause)
    timer = setTimeout(() => {
      gone = null
      if (isWanted) start().catch(() => {})
    }, wait).unref()
  }

  function endWhenIdle() {
    if (calls > 0 || idleTimeout === null || running === null) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      ended = end()
    }, idleTimeout).unref()
  }

  async function end() {
    const last = running
    running = null
    const thread = await last?.catch(() => null)
    await thread?.call('close', []).catch(report)
    await thread?.terminate()
  }

  async function call(method: string, args: unknown[]) {
    calls += 1
    // A pending start continues.
    if (running !== null) clearTimeout(timer)
    try {
      const thread = await start().catch((error) => {
        throw error instanceof ThreadGone ? error : new ThreadGone(error)
      })
      return await thread.call(method, args)
    } finally {
      calls -= 1
      endWhenIdle()
    }
  }

  const api = new Proxy({} as Api, {
    get: (_, method) => (method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args)),
  })

  return {
    /** The thread's methods. A call starts the thread if needed, and rejects with ThreadGone if the thread ends before it responds. */
    api,
    /** Starts the thread if needed. Rejects with the error of its start. */
    async start(): Promise<void> {
      await start()
    },
    /** Ends the thread permanently. */
    async close(): Promise<void> {
      gone = new ThreadGone(new Error('the thread was closed'))
      clearTimeout(timer)
      closing.abort()
      await ended
      await end()
    },
  }
}

type RunningThread = Awaited<ReturnType<typeof openWorker>>

/**
 * Resolves once the thread serves. Rejects with the error of its start, and if `closing` aborts before: a thread may wait for its
 * servers indefinitely. Calls `onExit` with the reason when it ends.
 */
async function openWorker(
  { entry, workerData, resourceLimits, maxBuffers, cpuLimit, report, log, serves }: ThreadOptions<never>,
  closing: AbortSignal,
  onExit: (cause: unknown) => void,
) {
  closing.throwIfAborted()
  // The main thread's flag, from package.json, would override the limits of threads.
  setFlagsFromString('--max-semi-space-size=0')
  const worker = new Worker(entry, {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    ...(resourceLimits && { resourceLimits }),
  })
  const name = basename(entry.pathname, '.ts')
  const ready = Promise.withResolvers<void>()
  let cause: unknown
  let isGone = false
  let watchdog: Watchdog | null = null
  let bufferTimer: NodeJS.Timeout | undefined
  const served: Served = {
    ...serves,
    ready: () => ready.resolve(),
    report: (error: PlainError) => report(toError(error)),
    log: (level: keyof Log, line: string) => log?.[level](line),
  }
  const peer = createPeer(served, (message) => worker.postMessage(message))

  worker.on('message', (message: Message) => {
    // Any message counts, since the response to a beat may be queued after many others.
    watchdog?.answered()
    peer.receive(message)
  })
  worker.on('error', (error) => {
    cause = 'reason' in error ? toError(error as unknown as PlainError) : error
  })
  worker.on('exit', (code) => {
    watchdog?.stop()
    clearInterval(bufferTimer)
    isGone = true
    cause ??= new Error(`the thread ${name} ended with code ${code}`)
    onExit(cause)
    peer.rejectAll(cause)
    ready.reject(cause)
  })

  function end(reason: string) {
    cause = new EndedThread(`the thread ${name} ${reason} and was ended`)
    worker.terminate()
  }

  async function checkBuffers(max: number) {
    const { external_memory: used } = await worker.getHeapStatistics()
    if (used > max) end('used too much memory')
  }

  const giveUp = () => void worker.terminate()
  closing.addEventListener('abort', giveUp)
  await ready.promise.finally(() => closing.removeEventListener('abort', giveUp))
  if (maxBuffers !== undefined)
    // A thread that has ended has no statistics.
    bufferTimer = setInterval(() => checkBuffers(maxBuffers).catch(() => {}), bufferInterval).unref()
  watchdog = startWatchdog(cpuLimit, {
    ask: () => peer.notify('beat'),
    async cpuTime() {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000
    },
    end: () => end('did not respond'),
  })
  return {
    async call(method: string, args: unknown[]): Promise<unknown> {
      if (isGone) throw new ThreadGone(cause)
      return peer.call(method, args)
    },
    terminate: () => worker.terminate(),
  }
}
