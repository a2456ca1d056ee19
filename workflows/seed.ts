// Where a source starts in a run: the documents that it lists, or the pinned pages that no source lists.
import type { Run, RunEventType } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { UnreadableSource } from '../sources/source-type.ts'
import type { MoreOfEvent } from './events.ts'
import { createLister } from './listings.ts'
import type { SourceCrawl } from './source-crawl.ts'

interface SeedDeps {
  store: Store
  run: Run
  source: SourceCrawl
  now(): Date
  onProgress(): void
  addressLimit: number
  note(type: RunEventType, at: string, message: string, more?: MoreOfEvent): Promise<void>
}

/** Addresses that the store takes in one call. */
const batch = 1_000

export interface Seeding {
  /** `in part`: pages of the source that are not listed may still be there. */
  list: 'whole' | 'in part'
  /** The only address on the list, such as the start page of a site; null if the list has none or several. */
  only: string | null
}

/** Rejects with UnreadableSource if no part of its list could be read. */
export async function seedSource(deps: SeedDeps): Promise<Seeding> {
  return deps.source.isPinned ? seedPinned(deps) : seedListed(deps)
}

async function seedPinned({ store, run, source }: SeedDeps): Promise<Seeding> {
  for (;;) {
    const pages = await store.pages.pinnedUnlisted(run.uuid, batch)
    const listings = pages.map((page) => ({ source: source.uuid, url: page.url, depth: 0 }))
    if ((await store.frontier.discover(run.uuid, listings)) === 0) break
  }
  return { list: 'whole', only: null }
}

async function seedListed(deps: SeedDeps): Promise<Seeding> {
  const { source, now, note, onProgress } = deps
  let problem: string | null = null
  let listed = 0
  let only: string | null = null
  const lister = await createLister(deps, source)
  for await (const { documents, warnings = [] } of source.reader.list()) {
    for (const { url, message } of warnings) {
      problem ??= message
      const id = `list:${source.uuid} ${url} ${message}`
      const about = { id, level: 'warning' as const, sourceUuid: source.uuid, url }
      await note('source_started', now().toISOString(), message, about)
    }
    listed += documents.length
    only = listed === 1 ? (documents[0]?.url ?? only) : null
    const covered = documents.filter(({ url }) => source.scope.covers(url))
    // Its own address is listed before anything is read of it.
    const isStart = documents.every(({ url }) => url === source.start)
    for (let at = 0; at < covered.length && !lister.isFull(); at += batch) {
      const some = covered.slice(at, at + batch)
      // Of what is not listed nothing is remembered: a list may name it without end.
      for (const { url, language } of some) if (language) source.languages.set(url, language)
      const listings = some.map(({ url }) => ({ source: source.uuid, url, depth: 0 }))
      if ((await lister.list(listings)) > 0 && !isStart) onProgress()
    }
    if (lister.isFull()) break
  }
  if (listed === 0 && problem !== null) throw new UnreadableSource(problem)
  return { list: problem === null ? 'whole' : 'in part', only }
}
