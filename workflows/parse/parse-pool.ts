// Threads that parse and analyze, so that neither the gateway nor the fetching waits for it.
import { Piscina } from 'piscina'
import type { Unit } from '../../services/index/search-index.ts'
import type { PageContent } from '../../services/store/page.ts'
import { createTurns } from '../turns.ts'
import type { PageIdentity, ParsedPage, ParseRequest } from './parse-page.ts'
import type { Outcome } from './parse-thread.ts'

/**
 * A page that takes longer than this to parse is given up, in milliseconds, and its thread with it. Waiting for a thread
 * does not count.
 */
const parseTimeout = 30_000
const heapMegabytes = 1_024
/** A thread costs a start and a warm-up: one without work waits so long for more, in milliseconds. */
const idleTimeout = 30_000
/** Pages that wait at their thread, so that it goes on while the one that hands them out is busy. */
const pagesAhead = 4

export interface ParsePool {
  /** Rejects when the page could not be parsed in time or in the memory that a thread may take. */
  parse(request: ParseRequest, signal: AbortSignal): Promise<ParsedPage>
  units(page: PageIdentity, content: PageContent, signal: AbortSignal): Promise<Unit[]>
  close(): Promise<void>
}

/**
 * Starts `threads` threads at a lower priority than those that answer readers. `report` is told of one that dies while it
 * has no page; the next page has another.
 */
export function openParsePool(threads: number, report: (error: unknown) => void = () => {}): ParsePool {
  const together = createThreads(threads, pagesAhead, report)
  const alone = createThreads(1, 1, report)

  async function run<Result>(name: string, task: unknown, signal: AbortSignal): Promise<Result> {
    const outcome: Outcome<Result> = await together.run(name, task, signal).catch(() => {
      signal.throwIfAborted()
      // A thread that dies takes the pages that wait at it along: which one was at fault shows when each is alone.
      return alone.run(name, task, signal)
    })
    if ('fault' in outcome) throw outcome.fault
    return outcome.value
  }

  return {
    parse: (request, signal) => run('parsePage', request, signal),
    units: (page, content, signal) => run('unitsOf', { page, content }, signal),
    async close() {
      await Promise.all([together.close(), alone.close()])
    },
  }
}

/** `count` threads, started when they are needed, each with up to `pages` pages at a time. */
function createThreads(count: number, pages: number, report: (error: unknown) => void) {
  const pool = new Piscina({
    filename: new URL('./parse-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: count,
    concurrentTasksPerWorker: pages,
    idleTimeout,
    niceIncrement: 5,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  pool.on('error', report)
  const turns = createTurns(count * pages)

  /** Timer and listener are taken back at the end of each: a run parses more pages than may leave theirs behind. */
  async function runInTime(name: string, task: unknown, signal: AbortSignal) {
    const stop = new AbortController()
    const end = () => stop.abort()
    const timer = setTimeout(end, parseTimeout)
    signal.addEventListener('abort', end, { once: true })
    try {
      return await pool.run(task, { name, signal: stop.signal })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  }

  return {
    run: (name: string, task: unknown, signal: AbortSignal) =>
      turns.take(() => runInTime(name, task, signal), signal),
    close: () => pool.destroy(),
  }
}
