// Worker threads from both sides. The owner calls methods that a thread serves, and the thread those that its owner serves.
// The owner starts a thread with the first call, ends it when it rests, and starts another when it dies or hangs.
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, Worker } from 'node:worker_threads'
import { DomainError, type FieldErrors, type Reason } from '../errors.ts'
import { type ThreadKind, threadKinds } from './kinds.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** Milliseconds: a thread that dies sooner after its start is started again only after that time, one that stood still at once. */
const defaultSettleTime = 5_000
/** Milliseconds between two looks at what a thread has in buffers. */
const bufferLook = 250

/** Where lines go that are no errors of our own. */
export interface Log {
  info(line: string): void
  warn(line: string): void
}

/** Methods that one side serves the other: arguments and results are cloned. `close` is called before a thread is ended. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of any method
export type Served = Record<string, (...args: any[]) => unknown>

type Message =
  | { id: number; method: string; args: unknown[] }
  | { id: number; value: unknown }
  | { id: number; error: PlainError }

/** An error on the way between threads, on which classes are lost. */
interface PlainError {
  message: string
  reason: Reason | null
  fields: FieldErrors | null
  retryAfter: number | null
}

/** The thread has ended: running and queued calls may be incomplete. */
export class ThreadGone extends DomainError {
  /** Whether the call was the oldest under way: where a thread does one after the other, it ended amid this one. */
  readonly wasFirst: boolean

  constructor(cause: unknown, wasFirst = false) {
    super('unavailable', 'The work was interrupted; try again.', null, cause, 1)
    this.wasFirst = wasFirst
  }
}

/** How a thread ended that stood still, or took too much memory: another one may begin at once. */
class EndedThread extends Error {}

/** One side of a thread: makes calls of the other side, and answers those that come from there. */
function createPeer(served: Served, post: (message: Message) => void) {
  const underWay = new Map<number, PromiseWithResolvers<unknown>>()
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
      underWay.set(lastId, reply)
      post({ id: lastId, method, args })
      return reply.promise
    },
    /** A call whose reply nobody waits for. */
    notify(method: string, ...args: unknown[]): void {
      post({ id: 0, method, args })
    },
    async receive(message: Message): Promise<void> {
      if ('method' in message) return post(await answer(message))
      const reply = underWay.get(message.id)
      underWay.delete(message.id)
      if ('error' in message) reply?.reject(toError(message.error))
      else reply?.resolve(message.value)
    },
    rejectAll(cause: unknown): void {
      for (const [at, reply] of [...underWay.values()].entries())
        reply.reject(new ThreadGone(cause, at === 0))
      underWay.clear()
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

/** What this thread serves; `beat` answers the watchdog. */
const servedHere: Served = { beat() {} }
const owner = createPeer(servedHere, (message) => parentPort?.postMessage(message))

/** In the thread: answers calls with the methods of `served`, from now on. */
export function serveThread(kind: keyof typeof threadKinds, served: Served): void {
  // On Linux the priority is the thread's own. Below that of the process, which only a privileged user may exceed.
  const priority = getPriority(process.pid) + threadKinds[kind].priority
  if (process.platform === 'linux') setPriority(Math.min(priority, 19))
  Object.assign(servedHere, served)
  parentPort!.on('message', owner.receive)
  owner.notify('ready')
}

/** In the thread: calls a method that its owner serves it. */
export function askOwner<Result>(method: string, ...args: unknown[]): Promise<Result> {
  return owner.call(method, args) as Promise<Result>
}

/** In the thread: its owner's log. */
export const ownersLog: Log = {
  info: (line) => owner.notify('log', 'info', line),
  warn: (line) => owner.notify('log', 'warn', line),
}

/** In the thread: reports an error that no call waits for. */
export function reportFromThread(error: unknown): void {
  owner.notify('report', toPlain(error))
}

export interface ThreadOptions<Api> extends Omit<ThreadKind, 'priority'> {
  entry: URL
  workerData: unknown
  /** Called with why a thread died or could not be started again, and with errors that its own work met. */
  report(error: unknown): void
  log?: Log
  /** What the thread may ask of its owner. */
  serves?: Served
  /** Done first with each thread that starts, without anyone waiting for it; one that fails here makes room for another. */
  begin?(api: Api): Promise<void>
  /** Milliseconds: see defaultSettleTime. */
  settleTime?: number | undefined
}

export type Thread<Api extends object> = ReturnType<typeof createThread<Api>>

/** Nothing runs before `start` or the first call. A thread that dies while it is wanted is started again. */
export function createThread<Api extends object>(options: ThreadOptions<Api>) {
  const { idleTimeout, report, begin, settleTime = defaultSettleTime } = options
  let running: Promise<RunningThread> | null = null
  /** The thread before is ended first: both may hold the same file. */
  let ended = Promise.resolve()
  /** Why no thread is started for a while. */
  let gone: ThreadGone | null = null
  let calls = 0
  /** Of the next start or the next end. */
  let timer: NodeJS.Timeout | undefined

  function start(): Promise<RunningThread> {
    if (gone) return Promise.reject(gone)
    running ??= launch()
    return running
  }

  function launch() {
    clearTimeout(timer)
    let servedAt = Number.POSITIVE_INFINITY
    const launched = ended.then(() =>
      openWorker(options, (cause) => {
        const isEarly = performance.now() - servedAt < settleTime && !(cause instanceof EndedThread)
        if (running === launched) startAgain(cause, isEarly ? settleTime : 0)
      }),
    )
    launched.then(
      (thread) => {
        servedAt = performance.now()
        endWhenIdle()
        begin?.(api).catch((error) => {
          if (!(error instanceof ThreadGone)) report(error)
          return thread.terminate()
        })
      },
      () => {},
    )
    return launched
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
    /** The thread's methods. A call starts the thread if none runs; one under way when it dies rejects with ThreadGone. */
    api,
    /** Starts the thread if none runs; rejects with what stopped its start. */
    async start(): Promise<void> {
      await start()
    },
    /** Ends the thread for good. */
    async close(): Promise<void> {
      gone = new ThreadGone(new Error('the thread was closed for good'))
      clearTimeout(timer)
      await ended
      await end()
    },
  }
}

type RunningThread = Awaited<ReturnType<typeof openWorker>>

/** Waits until the thread serves; rejects with what stopped its start. `onExit` gets why it ended, however it did. */
async function openWorker(
  { entry, workerData, resourceLimits, maxBuffers, cpuLimit, report, log, serves }: ThreadOptions<never>,
  onExit: (cause: unknown) => void,
) {
  // The main thread's, of package.json, would override each thread's own limits.
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
    // Any message is a sign of life: the answer to a beat may be queued after those of many calls.
    watchdog?.answered()
    peer.receive(message)
  })
  worker.on('error', (error) => {
    cause = error
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

  async function lookAtBuffers(max: number) {
    const { external_memory: taken } = await worker.getHeapStatistics()
    if (taken > max) end('took too much memory')
  }

  await ready.promise
  if (maxBuffers !== undefined)
    // A thread that has ended has no statistics.
    bufferTimer = setInterval(() => lookAtBuffers(maxBuffers).catch(() => {}), bufferLook).unref()
  watchdog = startWatchdog(cpuLimit, {
    ask: () => peer.notify('beat'),
    async cpuTime() {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000
    },
    end: () => end('stood still'),
  })
  return {
    async call(method: string, args: unknown[]): Promise<unknown> {
      if (isGone) throw new ThreadGone(cause)
      return peer.call(method, args)
    },
    terminate: () => worker.terminate(),
  }
}
