// Threads that read what sites wrote (pages, robots.txt, sitemaps) and analyze it, under limits of time and memory, so that
// neither the gateway nor the fetching waits for it.
import { Piscina } from 'piscina'
import type { RobotsFile } from '../../crawler/robots-file.ts'
import type { SitemapItem } from '../../crawler/sitemap-file.ts'
import type { Unit } from '../../services/index/search-index.ts'
import type { PageContent } from '../../services/store/page.ts'
import { createSemaphore } from '../semaphore.ts'
import type { PageIdentity, ParsedPage, ParseRequest } from './parse-page.ts'
import type { Job, Outcome } from './parse-thread.ts'
import { createWatch } from './watch.ts'

const heapMegabytes = 1_024
/** A thread costs a start and a warm-up: but for one, those without work wait so long for more, in milliseconds. */
const idleTimeout = 30_000
/** Tasks that wait at their thread, so that it goes on while the one that hands them out is busy. */
const tasksAhead = 4
/** Tries of a task whose thread dies of another task before this one has begun. */
const maxTries = 10

/** For whom something is read: projects share the threads evenly. */
export interface ParseContext {
  project: string
  signal: AbortSignal
}

/** What takes more time or memory than a task may rejects, and so does what its signal aborts. */
export interface ParsePool {
  parse(request: ParseRequest, context: ParseContext): Promise<ParsedPage>
  units(page: PageIdentity, content: PageContent, context: ParseContext): Promise<Unit[]>
  robots(body: Uint8Array, context: ParseContext): Promise<RobotsFile>
  /** `base`: the file's address. */
  sitemap(body: Uint8Array, base: string, context: ParseContext): Promise<SitemapItem[]>
  close(): Promise<void>
}

/**
 * `cpuLimit`: processor time that a task may take, in milliseconds; a page of 6 MB takes a third to a half of it.
 * Starts `threads` threads at a lower priority than those that answer readers. `report` is told of one that dies while it
 * has nothing to do; the next task has another.
 */
export function openParsePool(
  threads: number,
  report: (error: unknown) => void = () => {},
  { entry = new URL('./parse-thread.ts', import.meta.url), cpuLimit = 5_000 } = {},
): ParsePool {
  const pool = new Piscina({
    filename: entry.href,
    // Without this one, none is started for tasks that wait already when the last thread is ended.
    minThreads: 1,
    maxThreads: threads,
    concurrentTasksPerWorker: tasksAhead,
    idleTimeout,
    niceIncrement: 5,
    // As much room for new objects as V8 takes by itself: a page is many, and these threads end when they rest.
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 48 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  pool.on('error', report)
  const semaphore = createSemaphore(threads * tasksAhead)
  const watch = createWatch(() => pool.threads, cpuLimit)

  /** Listeners are taken back at the end of each: a run parses more pages than may leave theirs behind. */
  async function runWatched(name: string, job: Job<unknown>, signal: AbortSignal) {
    const stop = new AbortController()
    const end = () => stop.abort()
    signal.addEventListener('abort', end, { once: true })
    const unwatch = watch(job.workedBy, end)
    try {
      return await pool.run(job, { name, signal: stop.signal })
    } finally {
      unwatch()
      signal.removeEventListener('abort', end)
    }
  }

  async function run<Result>(
    name: string,
    task: unknown,
    { project, signal }: ParseContext,
  ): Promise<Result> {
    for (let tries = 1; ; tries++) {
      const workedBy = new Int32Array(new SharedArrayBuffer(4))
      try {
        const job = { task, workedBy }
        const outcome: Outcome<Result> = await semaphore.run(
          project,
          () => runWatched(name, job, signal),
          signal,
        )
        if ('fault' in outcome) throw new Fault(outcome.fault)
        return outcome.value
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof Fault) throw error.cause
        // A thread that is lost takes along what waits at it: at fault is the task that it was at work on.
        if (Atomics.load(workedBy, 0) !== 0 || tries === maxTries) throw new ParseLimit(error)
      }
    }
  }

  return {
    parse: (request, context) => run('parsePage', request, context),
    units: (page, content, context) => run('unitsOf', { page, content }, context),
    robots: (body, context) => run('robots', body, context),
    sitemap: (body, base, context) => run('sitemap', { body, base }, context),
    close: () => pool.destroy(),
  }
}

/** The task took more time or memory than a task may. */
export class ParseLimit extends Error {
  constructor(cause: unknown) {
    super('reading it took more time or memory than it may', { cause })
  }
}

/** What went wrong in the task itself; its thread goes on. */
class Fault extends Error {
  constructor(cause: unknown) {
    super('the task failed', { cause })
  }
}
