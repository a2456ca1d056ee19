// Recrawls one page: reads it, replaces it, and stores the outcome.
import { readScope } from '../services/source/source-scope.ts'
import type { DropReason, Recrawl } from '../services/store/recrawl.ts'
import type { RunKey, SkipReason } from '../services/store/run.ts'
import type { Source } from '../services/store/source.ts'
import { publishPages, toPublication } from './commit.ts'
import { copyMessage } from './duplicates.ts'
import { repairIndex, sweepVersions } from './recovery.ts'
import type { CrawlDeps } from './run-control.ts'
import { createPinnedCrawl, createPinnedReader, openContext, type SourceCrawl } from './source-crawl.ts'
import { type PageVisit, pageLimitMessage, type Task, type Visit, visit } from './visit.ts'
import { createVocabularyKeeper } from './vocabulary.ts'

type Dropped = { status: 'dropped'; reason: DropReason; detail: string; message: string }

const dropped = (why: Omit<Dropped, 'status'>): Dropped => ({ status: 'dropped', ...why })

/** Concurrent recrawls in a process. Projects take turns. */
export const recrawlsAtOnce = 4
/** Maximum redirects and canonical addresses to follow. */
const maxHops = 5

const dropReasons: Record<SkipReason, DropReason> = {
  robots: 'excluded',
  noindex: 'excluded',
  excluded: 'excluded',
  trap: 'excluded',
  canonical: 'excluded',
  duplicate: 'duplicate',
  redirect: 'unfetchable',
  gone: 'unfetchable',
  no_content: 'no_content',
  page_limit: 'page_limit',
}

/** Stores the outcome of a live recrawl. Rejects only if it is stopped or a backend is unavailable. */
export async function recrawlPage(deps: CrawlDeps, { project, uuid }: RunKey, signal: AbortSignal) {
  const { store } = deps
  const recrawl = await store.recrawls.get(project, uuid)
  if (recrawl === null) return
  // After an interruption, units may exist without their page, or a published page may not be counted.
  const wasInterrupted = recrawl.status === 'running'
  if (wasInterrupted) await repairIndex(deps, project, { signal, beat() {} })
  await store.recrawls.settle(uuid, { status: 'running', reason: null, finishedAt: null })
  const outcome = await readAndReplace(deps, recrawl, signal)
  const swept = await sweepVersions(store, deps.index, project, 100)
  if (outcome.status === 'indexed' || swept > 0 || wasInterrupted) {
    await createVocabularyKeeper(deps, project, deps.now).refresh()
  }
  await store.recrawls.settle(uuid, { reason: null, ...outcome, finishedAt: deps.now().toISOString() })
}

/** Stores the last visit of the address. */
async function readAndReplace(deps: CrawlDeps, recrawl: Recrawl, signal: AbortSignal) {
  const { project, url } = recrawl
  const sources = await deps.store.sources.all(project)
  const found = await followToPage(deps, sources, recrawl, signal)
  const result = await takeVisit(deps, recrawl, found, findType(sources, found.task))
  if (result.status === 'dropped') {
    const status = found.kind === 'failed' ? 'failed' : 'skipped'
    const { detail: reason, message } = result
    const [sourceUuid = null] = found.task.page?.sources ?? []
    const visit = { url, status, reason, message, sourceUuid, httpStatus: found.httpStatus ?? null } as const
    await deps.store.addresses.restore(project, [{ ...visit, at: deps.now().toISOString() }])
  }
  return result
}

async function takeVisit(deps: CrawlDeps, recrawl: Recrawl, found: Visit, type: Source['type']) {
  const { store } = deps
  const { page } = found.task
  if (found.kind === 'failed')
    return dropped({ reason: 'unfetchable', detail: found.reason, message: found.message })
  if (found.kind === 'skipped') {
    // A page that is gone (404, 410) or left out is removed, unless a source lists it.
    const ends = found.reason === 'gone' || found.reason === 'excluded'
    if (ends && page?.sources.length === 0) await store.pages.remove(recrawl.project, null, [page.uuid])
    return dropped({ reason: dropReasons[found.reason], detail: found.reason, message: found.message })
  }
  if (found.kind === 'page' && (page === null || found.parsed.units !== null))
    return replace(deps, recrawl, found, type)
  if (page && found.kind !== 'settled') {
    const seen = { uuid: page.uuid, sources: [], fetchedAt: found.fetchedAt }
    await store.pages.seen(recrawl.project, null, [seen])
  }
  return { status: 'unchanged' } as const
}

/** The page's type, or the type of the source that covers it. */
function findType(sources: Source[], { url, page }: Pick<Task, 'url' | 'page'>): Source['type'] {
  if (page) return page.sourceType
  return sources.find((source) => readScope(source)?.admits(url) === 'in')?.type ?? 'url'
}

async function followToPage(
  deps: CrawlDeps,
  sources: Source[],
  { project, url: start }: Recrawl,
  signal: AbortSignal,
): Promise<Visit> {
  const context = openContext(deps, project, signal)
  const pinned = createPinnedCrawl(sources, createPinnedReader(context, sources))
  let url = start
  for (let hop = 0; ; hop++) {
    const [page = null] = await deps.store.pages.byUrls(project, [url])
    const task: Task = { source: pinned.uuid, url, depth: 0, state: null, page }
    // Units have the type of the page's row.
    const source: SourceCrawl = { ...pinned, type: findType(sources, task) }
    const found = await visit(context, source, task)
    const next = found.kind === 'skipped' && found.reason === 'redirect' ? found.links[0]?.url : undefined
    if (next === undefined || new URL(next).host !== new URL(start).host || hop === maxHops) return found
    url = next
  }
}

async function replace(deps: CrawlDeps, recrawl: Recrawl, found: PageVisit, sourceType: Source['type']) {
  const { store } = deps
  const { task, parsed } = found
  if (task.page === null) {
    const isFull = deps.pageLimit !== null && (await store.pages.count(recrawl.project)) >= deps.pageLimit
    if (isFull) return dropped({ reason: 'page_limit', detail: 'page_limit', message: pageLimitMessage })
    // As in a run, the page that is already indexed stays.
    const [same] = await store.pages.byContentHashes(recrawl.project, [parsed.contentHash])
    if (same && same.url !== task.url)
      return dropped({ reason: 'duplicate', detail: 'duplicate', message: copyMessage(same.url) })
  }
  const publication = toPublication(found, {
    project: recrawl.project,
    // A sync determines which sources list it.
    sources: [],
    pinned: task.page === null || task.page.pinned,
    sourceType,
  })
  const [result] = await publishPages(store, deps.index, recrawl.project, null, [publication])
  return { status: result === 'published' ? 'indexed' : 'unchanged' } as const
}
