// Worker threads from both sides: the methods that a thread serves, and its owner's side, which starts the thread, ends it when
// it rests, and starts it again when it dies or stands still.
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parentPort, Worker } from 'node:worker_threads'
import {
  type Call,
  createCalls,
  type PlainError,
  type Reply,
  type Served,
  serve,
  ThreadGone,
  toError,
  toPlain,
} from './calls.ts'
import { priorities, type ThreadKind, type threadKinds } from './kinds.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** Milliseconds: a thread that dies sooner after its start is started again only after that time, one that stood still at once. */
const defaultSettleTime = 5_000

/** From the owner to the thread. */
type ToThread = { call: Call } | { reply: Reply } | { beat: true }
/** From the thread to its owner; the answer to a beat is one. */
type ToOwner =
  | { call: Call }
  | { reply: Reply }
  | { beat: true }
  | { ready: true }
  | { report: PlainError }
  | { news: string; level: keyof Log }

/** Where lines go that are no errors of our own. */
export interface Log {
  info(line: string): void
  warn(line: string): void
}

/** In the thread: answers calls with the methods of `served`, from now on. */
export function serveThread(kind: keyof typeof threadKinds, served: Served): void {
  // On Linux the priority is the thread's own.
  if (process.platform === 'linux') setPriority(priorities[kind])
  parentPort!.on('message', async (message: ToThread) => {
    if ('reply' in message) ownerCalls.settle(message.reply)
    else tellOwner('beat' in message ? message : { reply: await serve(served, message.call) })
  })
  tellOwner({ ready: true })
}

const ownerCalls = createCalls()

function tellOwner(message: ToOwner) {
  parentPort?.postMessage(message)
}

/** In the thread: calls a method that its owner serves it. */
export function askOwner<Result>(method: string, ...args: unknown[]): Promise<Result> {
  const made = ownerCalls.make(method, args)
  tellOwner({ call: made.call })
  return made.result as Promise<Result>
}

/** In the thread: its owner's log. */
export const ownersLog: Log = {
  info: (news) => tellOwner({ news, level: 'info' }),
  warn: (news) => tellOwner({ news, level: 'warn' }),
}

/** In the thread: tells its owner of an error that no call waits for. */
export function reportFromThread(error: unknown): void {
  tellOwner({ report: toPlain(error) })
}

/** How a thread ended that stood still, or took too much memory: another one may begin at once. */
class EndedThread extends Error {}

/** Milliseconds between two looks at what a thread has in buffers. */
const bufferLook = 250

export interface ThreadOptions<Api> extends ThreadKind {
  entry: URL
  workerData: unknown
  /** Told why a thread died or could not be started again, and of errors that its own work met. */
  report(error: unknown): void
  log?: Log
  /** What the thread may ask of its owner. */
  serves?: Served
  /** Done first with each thread that starts, without anyone waiting for it; one that fails here makes room for another. */
  begin?(api: Api): Promise<void>
  /** Milliseconds: see defaultSettleTime. */
  settleTime?: number | undefined
}

export interface Thread<Api> {
  /** The thread's methods. A call starts the thread if none runs; one under way when it dies rejects with ThreadGone. */
  api: Api
  /** Starts the thread if none runs; rejects with what stopped its start. */
  start(): Promise<void>
  /** Ends the thread for good. */
  close(): Promise<void>
}

/** Nothing runs before `start` or the first call. A thread that dies while it is wanted is started again. */
export function createThread<Api extends object>(options: ThreadOptions<Api>): Thread<Api> {
  const { idleTimeout, report, begin, settleTime = defaultSettleTime } = options
  let running: Promise<RunningThread> | null = null
  /** The thread before is ended first: both may hold the same file. */
  let ended = Promise.resolve()
  /** Why no thread is started for a while. */
  let gone: ThreadGone | null = null
  let calls = 0
  let closed = false
  /** Of the next start or the next end. */
  let timer: NodeJS.Timeout | undefined

  function start(): Promise<RunningThread> {
    if (closed) return Promise.reject(new ThreadGone(new Error('the thread was closed for good')))
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
        beginWith(thread)
      },
      () => {},
    )
    return launched
  }

  function beginWith(thread: RunningThread) {
    endWhenIdle()
    begin?.(api).catch((error) => {
      if (!(error instanceof ThreadGone)) report(error)
      return thread.terminate()
    })
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
    // One that is to be started again is.
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
    api,
    async start() {
      await start()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await ended
      await end()
    },
  }
}

interface RunningThread {
  call(method: string, args: unknown[]): Promise<unknown>
  terminate(): Promise<unknown>
}

/** Waits until the thread serves; rejects with what stopped its start. `onExit` is told why it ended, however it did. */
async function openWorker(
  { entry, workerData, resourceLimits, maxBuffers, cpuLimit, report, log, serves = {} }: ThreadOptions<never>,
  onExit: (cause: unknown) => void,
): Promise<RunningThread> {
  // The main thread's, of package.json, would hold for each thread, whatever its limits say.
  setFlagsFromString('--max-semi-space-size=0')
  const worker = new Worker(entry, {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    ...(resourceLimits && { resourceLimits }),
  })
  const name = basename(entry.pathname, '.ts')
  const calls = createCalls()
  const ready = Promise.withResolvers<void>()
  let cause: unknown
  let isGone = false
  let watchdog: Watchdog | null = null
  let bufferTimer: NodeJS.Timeout | undefined
  const tell = (message: ToThread) => worker.postMessage(message)

  worker.on('message', async (message: ToOwner) => {
    // Any message is a sign of life: the answer to a beat may be queued after those of many calls.
    watchdog?.answered()
    if ('reply' in message) calls.settle(message.reply)
    else if ('call' in message) tell({ reply: await serve(serves, message.call) })
    else if ('ready' in message) ready.resolve()
    else if ('report' in message) report(toError(message.report))
    else if ('news' in message) log?.[message.level](message.news)
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
    calls.reject(cause)
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
    // A thread that has ended tells nothing.
    bufferTimer = setInterval(() => lookAtBuffers(maxBuffers).catch(() => {}), bufferLook).unref()
  watchdog = startWatchdog(cpuLimit, {
    ask: () => tell({ beat: true }),
    async cpuTime() {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000
    },
    end: () => end('stood still'),
  })
  return {
    async call(method, args) {
      if (isGone) throw new ThreadGone(cause)
      const made = calls.make(method, args)
      tell({ call: made.call })
      return made.result
    },
    terminate: () => worker.terminate(),
  }
}
