// Reads one source of a run: its start page, every listed page, then pages that wait for another page.
import { cutText } from '../crawler/extract/page.ts'
import { isKept, type Listing } from '../services/store/frontier.ts'
import type { SkipReason } from '../services/store/run.ts'
import { UnreadableSource } from '../sources/source-type.ts'
import { type Committed, commitVisits } from './commit.ts'
import { resolveCanonicals } from './duplicates.ts'
import { createLister, createQuota, isCutOff, maxListings, type Quota, release, reserve } from './limits.ts'
import type { ParsedPage } from './parse/parse-page.ts'
import { type RunContext, throwUnlessFault } from './run-control.ts'
import {
  createPinnedCrawl,
  createPinnedReader,
  createSourceCrawl,
  openReader,
  pinnedSource,
  type SourceCrawl,
} from './source-crawl.ts'
import { faulty, pageLimitMessage, skipped, type Task, type Visit, visit } from './visit.ts'
import { walk } from './walk.ts'

/**
 * Returns false if the start page or a part of the list could not be read: the source then keeps its pages. True for a deleted source.
 */
export async function readSource(context: RunContext, uuid: string): Promise<boolean> {
  const { signal, note } = context
  signal.throwIfAborted()
  const source = await orFail(context, uuid, () => openSource(context, uuid))
  if (source === null) return true
  if (source === 'failed') return false
  if (!source.isPinned) {
    const message = source.start ? `Reading ${source.start}` : 'Reading it.'
    await note('source_started', message, { sourceUuid: uuid, url: source.start || null })
  }
  const seeding = await orFail(context, uuid, () => seedSource(context, source))
  const walk = await createSourceWalk(context, source)
  do {
    signal.throwIfAborted()
    await walk()
  } while ((await resolveCanonicals(context, uuid)) > 0)
  if (source.isPinned) return true
  if (seeding === 'failed') return false
  const fault = await readFaultOfStart(context, source, seeding.only)
  if (fault !== null) {
    await failSource(context, uuid, fault.message)
    // If the only page of a `url` source is gone, it is removed. A whole site may only be down for a while.
    return fault.isGone && !source.follows
  }
  await finishSource(context, source, seeding.list)
  return seeding.list === 'whole'
}

const invalid =
  'The source could not be read: its address or globs are invalid, or an internal error occurred.'

/** Fails the source if `work` rejects with an error that a source can cause. */
async function orFail<Result>(context: RunContext, uuid: string, work: () => Promise<Result>) {
  try {
    return await work()
  } catch (error) {
    throwUnlessFault(error, context.signal)
    const isKnown = error instanceof UnreadableSource
    if (!isKnown) context.report(error)
    await failSource(context, uuid, isKnown ? error.message : invalid)
    return 'failed'
  }
}

async function failSource({ store, note }: RunContext, uuid: string, message: string) {
  await note('source_finished', message, { sourceUuid: uuid, level: 'error' })
  await store.sources.failed(uuid, message)
}

/** Returns null if the source is gone. */
async function openSource(context: RunContext, uuid: string): Promise<SourceCrawl | null> {
  const { store, run, project } = context
  if (uuid === pinnedSource) {
    const sources = await store.sources.all(project)
    return createPinnedCrawl(sources, createPinnedReader(context, sources))
  }
  const source = await store.sources.get(project, uuid)
  if (source === null) return null
  const crawl = createSourceCrawl(source, await openReader(context, source))
  // A resumed run does not request the start page again.
  const [start] = await store.frontier.states(run.uuid, [crawl.start])
  const hasMoved = start?.reason === 'redirect' || start?.outcome === 'failed'
  if (hasMoved && crawl.ledTo !== null) crawl.moveTo(crawl.ledTo)
  return crawl
}

/** Skip reasons of pages that were not read. */
const unreadableReasons: string[] = ['gone', 'robots'] satisfies SkipReason[]

/** Why the only listed address of a source, or the target of its redirect, could not be read. Null if it was read. */
async function readFaultOfStart({ store, run }: RunContext, source: SourceCrawl, only: string | null) {
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

async function finishSource(context: RunContext, source: SourceCrawl, list: Seeding['list']) {
  const warning = await findWarning(context, source, list)
  const message = warning ?? 'The source has been read.'
  const at = context.now().toISOString()
  await context.store.sources.crawled(source.uuid, at, source.movedTo(), list === 'whole' ? null : message)
  const level = warning === null ? 'info' : 'warning'
  await context.note('source_finished', message, { sourceUuid: source.uuid, level })
}

/** Why pages of the source may be missing. Null if it was read completely. */
async function findWarning(context: RunContext, source: SourceCrawl, list: Seeding['list']) {
  if (source.givenUp !== null) return source.givenUp
  if (list !== 'whole')
    return 'Part of the list of its pages could not be read. The source keeps all its pages.'
  if (await isCutOff(context, source))
    return `It lists more than ${maxListings(source, context.addressLimit)} addresses: the rest was left out, and pages that are in the index stay. LECTERN_ADDRESS_LIMIT sets how many a source may list.`
  if (source.follows && source.traps.isBarren())
    return 'Too many of its addresses are not pages: the rest was skipped as a trap.'
  return null
}

/** Addresses per call of the store. */
const batch = 1_000

interface Seeding {
  /** `in part`: the list is incomplete, so unlisted pages may still exist. */
  list: 'whole' | 'in part'
  /** The only address on the list, such as the start page of a site. Null if the list has none or several. */
  only: string | null
}

/** Lists the source's documents. Rejects with UnreadableSource if no part of the list could be read. */
export async function seedSource(context: RunContext, source: SourceCrawl): Promise<Seeding> {
  if (source.isPinned) await seedPinned(context, source)
  const { note } = context
  let problem: string | null = null
  let listed = 0
  let only: string | null = null
  const lister = await createLister(context, source)
  for await (const { documents, warnings = [] } of source.reader.list()) {
    for (const { url, message } of warnings) {
      problem ??= message
      const id = `list:${source.uuid} ${url} ${message}`
      await note('source_started', message, { id, level: 'warning', sourceUuid: source.uuid, url })
    }
    listed += documents.length
    only = listed === 1 ? (documents[0]?.url ?? only) : null
    const covered = documents.filter(({ url }) => source.scope.covers(url))
    // The source's own address is listed without a request.
    const isStart = documents.every(({ url }) => url === source.start)
    for (let at = 0; at < covered.length && !lister.isFull(); at += batch) {
      const some = covered.slice(at, at + batch)
      // Stores languages of listed addresses only: the list may be endless.
      for (const { url, language } of some) if (language) source.languages.set(url, language)
      const listings = some.map(({ url }) => ({ source: source.uuid, url, depth: 0 }))
      if ((await lister.list(listings)) > 0 && !isStart) context.onProgress()
    }
    if (lister.isFull()) break
  }
  if (listed === 0 && problem !== null) throw new UnreadableSource(problem)
  return { list: problem === null ? 'whole' : 'in part', only }
}

async function seedPinned({ store, run }: RunContext, source: SourceCrawl) {
  for (;;) {
    const pages = await store.pages.pinnedUnlisted(run.uuid, batch)
    const listings = pages.map((page) => ({ source: source.uuid, url: page.url, depth: 0 }))
    if ((await store.frontier.discover(run.uuid, listings)) === 0) return
  }
}

/** Addresses in the cache, which saves a call to the store for each link of each page. Cleared when full. */
const rememberedLinks = 200_000

/** The returned function visits listed addresses until none is left. */
async function createSourceWalk(context: RunContext, source: SourceCrawl): Promise<() => Promise<void>> {
  const { store, run, project, signal, pageLimit } = context
  const keptPages = source.maxPages === null ? 0 : await store.frontier.kept(run.uuid, source.uuid)
  const sourceQuota = createQuota(source.maxPages === null ? null : source.maxPages - keptPages)
  const projectQuota = createQuota(pageLimit === null ? null : pageLimit - (await store.pages.count(project)))
  const lister = await createLister(context, source)
  const known = new Set<string>()
  let notedMove = source.ledTo

  const quotasFor = (task: Task): Quota[] => (task.page ? [sourceQuota] : [sourceQuota, projectQuota])

  /** The links of a visit that are new to the source. */
  function admitLinks({ task, links }: Visit): Listing[] {
    if (known.size > rememberedLinks) known.clear()
    const fresh: Listing[] = []
    for (const { url, steps } of links) {
      const depth = task.depth + steps
      // Not cached: a page that is too deep here may be near a page that is read later, behind a redirect.
      if (depth > (source.maxDepth ?? depth) || known.has(url)) continue
      known.add(url)
      if (source.scope.covers(url)) fresh.push({ source: source.uuid, url, depth })
    }
    return fresh
  }

  /** Stores a redirect of the start page before its outcome: a resumed run does not request it again. */
  async function noteMove() {
    const moved = source.movedTo()
    if (moved === null || moved === notedMove) return
    await store.sources.moved(source.uuid, moved)
    notedMove = moved
  }

  const list = (visits: Visit[]) => lister.list(visits.flatMap(admitLinks))

  /** Commits pages one by one: a page that cannot be written fails, the others are written. */
  async function commitEach(visits: Visit[]): Promise<Committed[]> {
    try {
      return await commitVisits(context, source, visits, list)
    } catch (error) {
      throwUnlessFault(error, signal)
      const [only] = visits
      if (only?.kind === 'failed') throw error
      if (visits.length === 1) {
        context.report(error)
        return commitEach([faulty(only!.task, only!.links)])
      }
      const committed: Committed[] = []
      for (const each of visits) committed.push(...(await commitEach([each])))
      return committed
    }
  }

  async function prepare(listings: Listing[]): Promise<Task[]> {
    const urls = listings.map(({ url }) => url)
    const [states, pages] = await Promise.all([
      store.frontier.states(run.uuid, urls),
      store.pages.byUrls(project, urls),
    ])
    return listings.map((listing, at) => ({
      ...listing,
      state: states[at] ?? null,
      page: pages[at] ?? null,
    }))
  }

  async function commit(visits: Visit[]) {
    await noteMove()
    const committed = await commitEach(visits)
    context.onProgress()
    for (const { visit, outcome } of committed) {
      const isStart = visit.task.url === (source.movedTo() ?? source.start)
      if (visit.kind === 'page' && isStart) await nameProject(context, source.start, visit.parsed)
      const isRefused = visit.kind === 'skipped' && visit.reason === 'page_limit'
      if (!isRefused) release(quotasFor(visit.task), isKept(outcome))
    }
  }

  return () =>
    walk({
      byLevel: source.maxDepth !== null,
      next: (count) => store.frontier.next(run.uuid, source.uuid, count),
      prepare,
      admit: (task) => reserve(quotasFor(task)),
      visit: (task) => visit(context, source, task).finally(context.beat),
      refuse: (task) => skipped(task, 'page_limit', pageLimitMessage, { deferred: true }),
      commit,
    })
}

/** Maximum characters of a project's name. */
const maxName = 200

/** Sets the project's name to that of the site, else to its start page's title, if it is still the host of the start address. */
async function nameProject({ store, project: uuid, now }: RunContext, start: string, page: ParsedPage) {
  const name = cutText((page.siteName || page.content.title).replace(/\p{Cc}/gu, '').trim(), maxName)
  const project = await store.projects.byUuid(uuid)
  if (project === null || name === '' || project.name !== new URL(start).host) return
  // A concurrent change wins: the next run tries again.
  const updatedAt = now().toISOString()
  await store.projects.update({ ...project, name, updatedAt, revision: project.revision + 1 })
}
