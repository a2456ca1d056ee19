// Threads that parse and analyze, so that neither the gateway nor the fetching waits for it.
import { Piscina } from 'piscina'
import type { Unit } from '../../services/index/search-index.ts'
import type { PageContent } from '../../services/store/page.ts'
import type { PageIdentity, ParsedPage, ParseRequest } from './parse-page.ts'

/** A page that takes longer than this to parse is given up, and its thread with it. */
const parseTimeout = 30_000
const heapMegabytes = 1_024

export interface ParsePool {
  /** Rejects when the page could not be parsed in time or in the memory that a thread may take. */
  parse(request: ParseRequest, signal: AbortSignal): Promise<ParsedPage>
  units(page: PageIdentity, content: PageContent, signal: AbortSignal): Promise<Unit[]>
  close(): Promise<void>
}

/** Starts `threads` threads at a lower priority than those that answer readers. */
export function openParsePool(threads: number): ParsePool {
  const pool = new Piscina({
    filename: new URL('./parse-thread.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    niceIncrement: 5,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const run = (name: string, task: unknown, signal: AbortSignal) =>
    pool.run(task, { name, signal: AbortSignal.any([signal, AbortSignal.timeout(parseTimeout)]) })

  return {
    parse: (request, signal) => run('parsePage', request, signal),
    units: (page, content, signal) => run('unitsOf', { page, content }, signal),
    close: () => pool.destroy(),
  }
}
