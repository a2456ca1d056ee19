// Where a source starts in a run: its own address, the pages of its sitemap, or the pinned pages that no source lists.
import type { Fetcher } from '../crawler/fetch.ts'
import { type ReadSitemapFile, readSitemap } from '../crawler/sitemap.ts'
import type { Run, RunEventType } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import type { MoreOfEvent } from './events.ts'
import { createLister } from './listings.ts'
import type { ParsePool } from './parse/parse-pool.ts'
import type { SourceCrawl } from './source-crawl.ts'

interface SeedDeps {
  store: Store
  fetcher: Fetcher
  parsePool: ParsePool
  run: Run
  source: SourceCrawl
  signal: AbortSignal
  now(): Date
  onProgress(): void
  addressLimit: number
  note(type: RunEventType, at: string, message: string, more?: MoreOfEvent): Promise<void>
}

const pinnedAtOnce = 1_000

/** False where the list of its pages could not be read. */
export async function seedSource(deps: SeedDeps): Promise<boolean> {
  if (deps.source.isPinned) return seedPinned(deps)
  if (deps.source.type === 'sitemap') return seedSitemap(deps)
  const { store, run, source } = deps
  await store.frontier.discover(run.uuid, [{ source: source.uuid, url: source.start, depth: 0 }])
  return true
}

async function seedPinned({ store, run, source }: SeedDeps): Promise<boolean> {
  for (;;) {
    const pages = await store.pages.pinnedUnlisted(run.uuid, pinnedAtOnce)
    const listings = pages.map((page) => ({ source: source.uuid, url: page.url, depth: 0 }))
    if ((await store.frontier.discover(run.uuid, listings)) === 0) break
  }
  return true
}

async function seedSitemap(deps: SeedDeps): Promise<boolean> {
  const { fetcher, parsePool, run, source, signal, now, note, onProgress } = deps
  let readable = true
  const lister = await createLister(deps, source)
  const { project } = run
  const readFile: ReadSitemapFile = (body, base, signal) => parsePool.sitemap(body, base, { project, signal })
  for await (const batch of readSitemap(source.start, fetcher, readFile, signal)) {
    for (const warning of batch.warnings) {
      readable = false
      const id = `sitemap:${source.uuid} ${warning.url} ${warning.message}`
      const about = { id, level: 'warning' as const, sourceUuid: source.uuid, url: warning.url }
      await note('source_started', now().toISOString(), warning.message, about)
    }
    const covered = batch.entries.filter(({ url }) => source.scope.covers(url))
    const listings = covered.map(({ url }) => ({ source: source.uuid, url, depth: 0 }))
    // Of what is not listed nothing is remembered: files of a sitemap may name it without end.
    for (const { url, language } of covered) if (language !== null) source.languages.set(url, language)
    if ((await lister.list(listings)) > 0) onProgress()
    if (lister.isFull()) break
  }
  return readable
}
