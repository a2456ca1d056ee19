// Makes a group of visits last. The order matters for a kill at any moment: units before the page that names their
// version, pages before outcomes, links before the outcome of the page that showed them. What is done twice after a
// kill ends as if it had been done once.
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

/** The visit with its outcome; null where another source decides. */
export interface Committed {
  visit: Visit
  outcome: Outcome | null
}

/** `list` lists the links of visits. Rejects with RunEnded when the run's fence is void. */
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
  // A copy leads nowhere that the first did not: a site that makes copies without end comes to one.
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

/** Whether nothing was asked for: the outcome is another source's. */
const isSettled = (visit: Visit) => visit.kind === 'settled' && !visit.fetched

async function publish(
  { store, index, run, vocabulary }: RunContext,
  source: SourceCrawl,
  visits: PageVisit[],
): Promise<Map<Visit, Outcome>> {
  const { team, project } = run
  const owner = { team, project, sources: sourceSet(source), pinned: false, sourceType: source.type }
  const publications = visits.map((visit) => toPublication(visit, owner))
  const results = await publishPages(store, index, project, run.fence, publications)
  const outcomes = visits.map((visit, position): [Visit, Outcome] => {
    // Stale: a later recrawl has published meanwhile, and its version stays.
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
    // Validators stay those of the stored content: its links are what a 304 will stand for.
    const { uuid, etag, lastModified } = page
    return [{ uuid, etag, lastModified, sources: sourceSet(source), fetchedAt: visit.fetchedAt }]
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

/** What a publication takes from its run or recrawl; the rest is the visit's. */
type Owner = Pick<Page, 'team' | 'project' | 'sources' | 'pinned' | 'sourceType'>

/** The page that was read, in place of the version that its task knows. */
export function toPublication(visit: PageVisit, owner: Owner): PublicationWithUnits {
  const { task, parsed, identity, validators, fetchedAt } = visit
  const { content, contentHash, units } = parsed
  const { title, language, docVersion } = content
  const page: Page = {
    ...{ ...owner, ...identity, ...validators, url: task.url, fetchedAt, contentHash, pipeline },
    ...{ title, language, docVersion, heldBy: null },
  }
  return { page, content, replaces: task.page?.version ?? 0, units: units ?? [] }
}

/** A writer that loses to another tries again so often, if its page was fetched later: the store compares the times. */
const maxTries = 3

/**
 * Publishes under the fence (null: a recrawl). `stale` stands for pages of which another writer has published a version
 * that was fetched later. Units of what was not published are taken out again.
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
  for (let tries = 1; tries < maxTries && results.includes('stale'); tries++) {
    for (const [at, publication] of publications.entries()) {
      if (results[at] !== 'stale') continue
      const [row] = await store.pages.byUuids([publication.page.uuid])
      const again = { ...publication, replaces: row?.version ?? 0 }
      results[at] = (await store.pages.publish(project, fence, [again]))[0]!
    }
  }
  const lost = publications.filter((_, at) => results[at] !== 'published').map(({ page }) => page)
  if (lost.length > 0) {
    await index.remove(
      project,
      lost.map(({ uuid, version }) => ({ page: uuid, version })),
    )
  }
  return results
}
