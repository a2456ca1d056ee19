// Recrawls one page: reads it, replaces it, and stores the outcome.
import { readScope } from '../services/source/source-scope.ts'
import type { DropReason, Recrawl } from '../services/store/recrawl.ts'
import type { SkipReason } from '../services/store/run.ts'
import type { Source, SourceType } from '../services/store/source.ts'
import { publishPages, toPublication } from './commit.ts'
import { copyMessage } from './duplicates.ts'
import { repairIndex, sweepVersions } from './recovery.ts'
import type { CrawlDeps } from './run-control.ts'
import { createPinnedCrawl, createPinnedReader, openContext, type SourceCrawl } from './source-crawl.ts'
import { type PageVisit, pageLimitMessage, type Task, type Visit, visit } from './visit.ts'
import { createVocabularyKeeper } from './vocabulary.ts'

type RecrawlResult = { status: 'indexed' | 'unchanged' } | Dropped
type Dropped = { status: 'dropped'; reason: DropReason; detail: string; message: string }

const dropped = (reason: DropReason, detail: string, message: string): Dropped => ({
  status: 'dropped',
  ...{ reason, detail, message },
})

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

/** Stores the outcome of the recrawl. Rejects only if it is stopped or a backend is unavailable. */
export async function recrawlPage(deps: CrawlDeps, recrawl: Recrawl, signal: AbortSignal): Promise<void> {
  const { store } = deps
  // After an interruption, units may exist without their page, or a published page may not be counted.
  const wasInterrupted = recrawl.status === 'running'
  if (wasInterrupted) await repairIndex(deps, recrawl.project, { signal, beat() {} })
  await store.recrawls.settle(recrawl.uuid, { status: 'running', reason: null, finishedAt: null })
  const outcome = await readAndReplace(deps, recrawl, signal)
  const swept = await sweepVersions(store, deps.index, recrawl.project, 100)
  if (outcome.status === 'indexed' || swept > 0 || wasInterrupted) {
    await createVocabularyKeeper(deps, recrawl.project, deps.now).refresh()
  }
  await store.recrawls.settle(recrawl.uuid, {
    reason: null,
    ...outcome,
    finishedAt: deps.now().toISOString(),
  })
}

async function readAndReplace(
  deps: CrawlDeps,
  recrawl: Recrawl,
  signal: AbortSignal,
): Promise<RecrawlResult> {
  const sources = await deps.store.sources.all(recrawl.project)
  const found = await followToPage(deps, sources, recrawl, signal)
  if (found.kind === 'page') return replace(deps, recrawl, found, findType(sources, found.task))
  if (found.kind === 'skipped') {
    await removeUnlisted(deps, recrawl, found)
    return dropped(dropReasons[found.reason], found.reason, found.message)
  }
  return found.kind === 'failed'
    ? dropped('unfetchable', found.reason, found.message)
    : { status: 'unchanged' }
}

/** The page's type, or the type of the source that covers it. */
function findType(sources: Source[], { url, page }: Pick<Task, 'url' | 'page'>): SourceType {
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

async function replace(
  deps: CrawlDeps,
  recrawl: Recrawl,
  found: PageVisit,
  sourceType: SourceType,
): Promise<RecrawlResult> {
  const { store } = deps
  const { task, parsed, fetchedAt } = found
  if (task.page === null) {
    const isFull = deps.pageLimit !== null && (await store.pages.count(recrawl.project)) >= deps.pageLimit
    if (isFull) return dropped('page_limit', 'page_limit', pageLimitMessage)
    // As in a run, the page that is already indexed stays.
    const [same] = await store.pages.byContentHashes(recrawl.project, [parsed.contentHash])
    if (same && same.url !== task.url) return dropped('duplicate', 'duplicate', copyMessage(same.url))
  }
  if (task.page && parsed.units === null) {
    const { uuid, etag, lastModified } = task.page
    await store.pages.seen(recrawl.project, null, [{ uuid, etag, lastModified, sources: [], fetchedAt }])
    return { status: 'unchanged' }
  }
  const publication = toPublication(found, {
    team: recrawl.team,
    project: recrawl.project,
    // A sync determines which sources list it.
    sources: [],
    pinned: task.page === null || task.page.pinned,
    sourceType,
  })
  const [result] = await publishPages(store, deps.index, recrawl.project, null, [publication])
  return { status: result === 'published' ? 'indexed' : 'unchanged' }
}

/** Removes a page that is gone (404, 410) or left out, unless a source lists it. */
async function removeUnlisted(deps: CrawlDeps, recrawl: Recrawl, found: Visit) {
  const { page } = found.task
  const ends = found.kind === 'skipped' && (found.reason === 'gone' || found.reason === 'excluded')
  if (page && ends && page.sources.length === 0)
    await deps.store.pages.remove(recrawl.project, null, [page.uuid])
}
