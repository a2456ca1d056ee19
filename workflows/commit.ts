// Stores a group of visits. The order makes a kill at any moment safe: units before the page that refers to their
// version, pages before outcomes, and links before the outcome of their page. Every step is idempotent, so it can be
// repeated after a kill.
import type { SearchIndex, Unit } from '../services/index/search-index.ts'
import type { Settlement } from '../services/store/frontier.ts'
import type { Page, Publication, PublishResult } from '../services/store/page.ts'
import type { Outcome } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { type Duplicate, findDuplicates, isSecondLook } from './duplicates.ts'
import { pageEvent } from './events.ts'
import { pipeline } from './parse/parse-page.ts'
import { type RunContext, RunEnded } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'
import type { PageVisit, Visit } from './visit.ts'

/** A visit with its outcome. Null if another source decides. */
export interface Committed {
  visit: Visit
  outcome: Outcome | null
}

/** `list` lists the links of visits. Rejects with RunEnded if the run's fence is outdated. */
export async function commitVisits(
  context: RunContext,
  source: SourceCrawl,
  visits: Visit[],
  list: (visits: Visit[]) => Promise<unknown>,
): Promise<Committed[]> {
  const { store, run } = context
  const read = visits.filter((visit) => visit.kind === 'page')
  const duplicates = await findDuplicates(context, read)
  const changed = read.filter((visit) => visit.parsed.units !== null && !duplicates.has(visit))
  const outcomes = await publish(context, source, changed)
  await noteSeen(
    context,
    source,
    visits.filter((visit) => !outcomes.has(visit) && !duplicates.has(visit)),
  )

  const committed = visits.map((visit) => ({
    visit,
    outcome: outcomes.get(visit) ?? toOutcome(visit, duplicates.has(visit)),
  }))
  // Links of duplicates are ignored: they are the same as the original's, or a site could generate endless duplicates.
  await list(visits.filter((visit) => duplicates.get(visit)?.reason !== 'duplicate'))
  const at = context.now().toISOString()
  const settled = await store.frontier.settle(
    run.uuid,
    committed.flatMap(({ visit, outcome }) =>
      outcome === null || isSettled(visit)
        ? []
        : toSettlement({ source: source.uuid, at }, visit, outcome, duplicates.get(visit)),
    ),
  )
  if (!settled) throw new RunEnded()
  const walked = visits.filter(isSettled).map(({ task: { url } }) => ({ source: source.uuid, url }))
  if (walked.length > 0) await store.frontier.walked(run.uuid, walked)
  return committed
}

/** Whether no request was sent, because another source decides the outcome. */
const isSettled = (visit: Visit) => visit.kind === 'settled' && !visit.fetched

async function publish(
  { store, index, run, vocabulary }: RunContext,
  source: SourceCrawl,
  visits: PageVisit[],
): Promise<Map<Visit, Outcome>> {
  const { project } = run
  const owner = { project, sources: sourceSet(source), pinned: false, sourceType: source.type }
  const publications = visits.map((visit) => toPublication(visit, owner))
  const results = await publishPages(store, index, project, run.fence, publications)
  const outcomes = visits.map((visit, position): [Visit, Outcome] => {
    // Stale: a later recrawl has published meanwhile. Its version stays.
    if (results[position] === 'stale') return [visit, 'unchanged']
    vocabulary.changed()
    return [visit, visit.task.page ? 'updated' : 'added']
  })
  return new Map(outcomes)
}

async function noteSeen({ store, run }: RunContext, source: SourceCrawl, visits: Visit[]) {
  const seen = visits.flatMap((visit) => {
    const { page } = visit.task
    if (page === null || (visit.kind !== 'unchanged' && visit.kind !== 'page')) return []
    // The validators stay those of the stored content: a later 304 refers to its links.
    return [{ uuid: page.uuid, sources: sourceSet(source), fetchedAt: visit.fetchedAt }]
  })
  if (seen.length > 0) await store.pages.seen(run.project, run.fence, seen)
}

function sourceSet(source: SourceCrawl): string[] {
  return source.isPinned ? [] : [source.uuid]
}

function toOutcome(visit: Visit, isDuplicate: boolean): Outcome | null {
  if (visit.kind === 'settled') return visit.task.state?.outcome ?? null
  if (isDuplicate) return 'skipped'
  return visit.kind === 'page' ? 'unchanged' : visit.kind
}

function toSettlement(
  { source, at }: { source: string; at: string },
  visit: Visit,
  outcome: Outcome,
  duplicate: Duplicate | undefined,
): Settlement {
  const { url } = visit.task
  const target = duplicate?.pendingOn
  const deferred = target != null || (visit.kind === 'skipped' && visit.deferred && !isSecondLook(visit))
  const ending =
    duplicate ??
    (visit.kind === 'skipped' || visit.kind === 'failed'
      ? { reason: visit.reason, message: visit.message }
      : { reason: null, message: '', cut: visit.kind === 'page' ? visit.parsed.cut : [] })
  return {
    ...{ source, url, outcome, reason: ending.reason, deferred },
    ...{ fetched: visit.fetched, httpStatus: visit.httpStatus },
    ...(target != null && { target }),
    event: deferred ? null : pageEvent(outcome, ending, { url, source, at }),
  }
}

interface PublicationWithUnits extends Publication {
  units: Unit[]
}

/** Fields of a publication that come from its run or recrawl. The visit has the others. */
type Owner = Pick<Page, 'project' | 'sources' | 'pinned' | 'sourceType'>

/** The page that was read. */
export function toPublication(visit: PageVisit, owner: Owner): PublicationWithUnits {
  const { task, parsed, identity, validators, fetchedAt } = visit
  const { content, contentHash, units } = parsed
  const { title, language, docVersion } = content
  const page: Page = {
    ...{ ...owner, ...identity, ...validators, url: task.url, fetchedAt, contentHash, pipeline },
    ...{ title, language, docVersion, heldBy: null },
  }
  return { page, content, units: units ?? [] }
}

/**
 * Publishes under the fence (null: a recrawl). The result is `stale` if another writer has published a version
 * that was fetched later. Removes the units of pages that were not published.
 */
export async function publishPages(
  store: Store,
  index: SearchIndex,
  project: string,
  fence: number | null,
  publications: PublicationWithUnits[],
): Promise<PublishResult[]> {
  if (publications.length === 0) return []
  await index.add(
    project,
    publications.flatMap((publication) => publication.units),
  )
  const results = await store.pages.publish(project, fence, publications)
  const lost = publications.filter((_, at) => results[at] !== 'published').map(({ page }) => page)
  if (lost.length > 0) {
    await index.remove(
      project,
      lost.map(({ uuid, version }) => ({ page: uuid, version })),
    )
  }
  return results
}
