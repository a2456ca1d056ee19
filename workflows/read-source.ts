// Reading one source of a run to its end: where it starts, every page that it lists, and the pages that wait for another one.
import type { Robots } from '../crawler/robots.ts'
import type { Page } from '../services/store/page.ts'
import type { Run, RunEventType, SkipReason } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { UnreadableSource } from '../sources/source-type.ts'
import { pageUuid } from './commit.ts'
import { resolveCanonicals } from './duplicates.ts'
import type { MoreOfEvent } from './events.ts'
import { createLister, isCutOff, maxListings } from './limits.ts'
import { type CrawlDeps, type RunControl, throwUnlessFault } from './run-control.ts'
import {
  createPinnedCrawl,
  createPinnedReader,
  createSourceCrawl,
  openReader,
  pinnedSource,
  type SourceCrawl,
} from './source-crawl.ts'
import { createSourceWalk } from './source-walk.ts'
import type { VocabularyKeeper } from './vocabulary.ts'

interface ReadSourceDeps extends CrawlDeps, RunControl {
  run: Run
  vocabulary: VocabularyKeeper
  robots: Robots
  note(type: RunEventType, at: string, message: string, more?: MoreOfEvent): Promise<void>
}

/**
 * False when its start page or a part of its list could not be read: the source then keeps its pages. True for a deleted source.
 */
export async function readSource(deps: ReadSourceDeps, uuid: string): Promise<boolean> {
  const { store, run, signal, now, note } = deps
  signal.throwIfAborted()
  const source = await openSource(deps, uuid)
  if (source === null) return true
  if (typeof source === 'string') return failSource(deps, uuid, source)
  if (!source.isPinned) {
    await note(
      'source_started',
      now().toISOString(),
      source.start ? `Reading ${source.start}` : 'Reading it.',
      {
        sourceUuid: uuid,
        url: source.start || null,
      },
    )
  }
  const seeding = await seed(deps, source)
  const walk = await openWalk(deps, source)
  do {
    signal.throwIfAborted()
    await walk.go()
  } while ((await resolveCanonicals({ store, run, now }, uuid)) > 0)
  if (source.isPinned) return true
  if (seeding === null) return false
  const fault = await readFaultOfStart(deps, source, seeding.only)
  if (fault !== null) {
    await failSource(deps, uuid, fault.message)
    // The only page of a `url` source is gone and is removed. A whole site may only be away for a while.
    return fault.isGone && !source.follows
  }
  await finishSource(deps, source, seeding.list)
  return seeding.list === 'whole'
}

/** Null where it is gone. */
async function openSource(deps: ReadSourceDeps, uuid: string) {
  const { store, run, report } = deps
  const readerDeps = { ...deps, project: run.project }
  if (uuid === pinnedSource) {
    return createPinnedCrawl(await store.sources.all(run.project), createPinnedReader(readerDeps))
  }
  const source = await store.sources.get(run.project, uuid)
  if (source === null) return null
  let crawl: SourceCrawl
  try {
    crawl = createSourceCrawl(source, await openReader(readerDeps, source))
  } catch (error) {
    if (error instanceof UnreadableSource) return error.message
    report(error)
    return invalid
  }
  // In a run that was interrupted, the start may have been asked before, and is not asked again.
  const [start] = await store.frontier.states(run.uuid, [crawl.start])
  const hasMoved = start?.reason === 'redirect' || start?.outcome === 'failed'
  if (hasMoved && crawl.ledTo !== null) crawl.moveTo(crawl.ledTo)
  return crawl
}

/** Null where the source has failed. */
async function seed(deps: ReadSourceDeps, source: SourceCrawl): Promise<Seeding | null> {
  try {
    return await seedSource({ ...deps, source })
  } catch (error) {
    throwUnlessFault(error, deps.signal)
    const isKnown = error instanceof UnreadableSource
    if (!isKnown) deps.report(error)
    await failSource(deps, source.uuid, isKnown ? error.message : invalid)
    return null
  }
}

/** Why the only listed address of a source, or the one that it redirects to, could not be read; null if it was read. */
async function readFaultOfStart({ store, run }: ReadSourceDeps, source: SourceCrawl, only: string | null) {
  const url = source.movedTo() ?? only
  if (url === null) return null
  const [state] = await store.frontier.states(run.uuid, [url])
  const isRead = state?.outcome !== 'failed' && !unreadableReasons.includes(state?.reason ?? '')
  if (isRead) return null
  const { rows } = await store.runs.events(run.uuid, { url }, { offset: 0, limit: 100 })
  const event = rows.find(({ type }) => type === 'page_failed' || type === 'page_skipped')
  const message = `${url} could not be read. ${event?.message ?? ''}`.trim()
  return { message, isGone: state?.reason === 'gone' }
}

/** Skip reasons of pages that were not read. */
const unreadableReasons: string[] = ['gone', 'robots'] satisfies SkipReason[]

const invalid =
  'The source could not be read: its address or globs are not valid, or it met an internal error.'

async function failSource({ store, note, now }: ReadSourceDeps, uuid: string, message: string) {
  await note('source_finished', now().toISOString(), message, { sourceUuid: uuid, level: 'error' })
  await store.sources.failed(uuid, message)
  return false
}

function openWalk(deps: ReadSourceDeps, source: SourceCrawl) {
  const { store, run } = deps
  const visitDeps = {
    ...deps,
    project: run.project,
    newPage: (url: string) => pageUuid(run.project, url),
    storedContent: async (page: Page | null) => (page ? store.pages.content(page.uuid) : null),
  }
  return createSourceWalk({ ...deps, source, visitDeps })
}

async function finishSource(deps: ReadSourceDeps, source: SourceCrawl, list: Seeding['list']) {
  const at = deps.now().toISOString()
  const cutAt = (await isCutOff(deps, source)) ? maxListings(source, deps.addressLimit) : null
  const { message, level } = toEnding(source, list, cutAt)
  const lastError = list === 'whole' ? null : message
  await deps.store.sources.crawled(source.uuid, at, source.movedTo(), lastError)
  await deps.note('source_finished', at, message, { sourceUuid: source.uuid, level })
}

/** `cutAt`: how many addresses it has listed where that is all that it may; null where it may list more. */
function toEnding(source: SourceCrawl, list: Seeding['list'], cutAt: number | null) {
  if (source.givenUp !== null) return { level: 'warning', message: source.givenUp } as const
  if (list !== 'whole')
    return {
      level: 'warning',
      message: 'Part of the list of its pages could not be read. The source keeps all its pages.',
    } as const
  if (cutAt !== null) {
    const message = `It lists more than ${cutAt} addresses: the rest was left out, and pages that are in the index stay. LECTERN_ADDRESS_LIMIT sets how many a source may list.`
    return { level: 'warning', message } as const
  }
  if (source.follows && source.traps.isBarren()) {
    const message = 'It lists addresses without end that are no pages: the rest was left out as a trap.'
    return { level: 'warning', message } as const
  }
  return { level: 'info', message: 'The source has been read.' } as const
}

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

interface Seeding {
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
