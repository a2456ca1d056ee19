// Makes a group of visits last. The order matters for a kill at any moment: units before the page that names their
// version, pages before outcomes, links before the outcome of the page that showed them. What is done twice after a
// kill ends as if it had been done once.
import type { SearchIndex } from '../services/index/search-index.ts'
import type { Listing, Settlement } from '../services/store/frontier.ts'
import type { Outcome, Run, RunEvent } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { type Duplicate, findDuplicates, isSecondLook } from './duplicates.ts'
import { pageEvent } from './events.ts'
import { publishPages, toPublication } from './publication.ts'
import { RunEnded } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'
import type { PageVisit, Visit } from './visit.ts'

interface CommitDeps {
  store: Store
  index: SearchIndex
  run: Run
  source: SourceCrawl
  /** Lists addresses, as far as the source has room for them. */
  list(listings: Listing[]): Promise<unknown>
  /** Those of the found addresses that are new to the source, ready to list. */
  admitLinks(visit: Visit): Listing[]
  /** Told that units became current, for the vocabulary. */
  published(): void
  now(): Date
}

/** The visit with what it came to in the end. */
export interface Committed {
  visit: Visit
  outcome: Outcome | null
}

/** Rejects with RunEnded when the run's fence is void. */
export async function commitVisits(deps: CommitDeps, visits: Visit[]): Promise<Committed[]> {
  const read = visits.filter((visit): visit is PageVisit => visit.kind === 'page')
  const duplicates = await findDuplicates(deps, read)
  const changed = read.filter((visit) => visit.parsed.units !== null && !duplicates.has(visit))
  const outcomes = new Map<Visit, Outcome>(await publish(deps, changed))
  await noteSeen(deps, visits, outcomes, duplicates)

  const committed = visits.map((visit) => ({ visit, outcome: outcomeOf(visit, outcomes, duplicates) }))
  // A copy leads nowhere that the first did not: a site that makes copies without end comes to one.
  const leading = visits.filter((visit) => duplicates.get(visit)?.reason !== 'duplicate')
  await deps.list(leading.flatMap(deps.admitLinks))
  const settled = await deps.store.frontier.settle(
    deps.run.uuid,
    committed.flatMap(({ visit, outcome }) => toSettlement(deps, visit, outcome, duplicates.get(visit))),
  )
  if (!settled) throw new RunEnded()
  const walked = visits.filter((visit) => visit.kind === 'settled' && !visit.fetched)
  if (walked.length > 0) {
    await deps.store.frontier.walked(
      deps.run.uuid,
      walked.map(({ task }) => ({ source: deps.source.uuid, url: task.url })),
    )
  }
  return committed
}

async function publish(deps: CommitDeps, visits: PageVisit[]): Promise<[Visit, Outcome][]> {
  const { store, index, run, source } = deps
  const { team, project } = run
  const owner = { team, project, sources: sourceSet(source), pinned: false, sourceType: source.type }
  const publications = visits.map((visit) => toPublication(visit, owner))
  const results = await publishPages(store, index, project, run.fence, publications)
  return visits.map((visit, position) => {
    // Stale: a recrawl that asked later has published meanwhile, and its version stands.
    if (results[position] === 'stale') return [visit, 'unchanged']
    deps.published()
    return [visit, visit.task.page ? 'updated' : 'added']
  })
}

async function noteSeen(
  { store, run, source }: CommitDeps,
  visits: Visit[],
  outcomes: Map<Visit, Outcome>,
  duplicates: Map<Visit, Duplicate>,
) {
  const seen = visits.flatMap((visit) => {
    const { page } = visit.task
    const same = visit.kind === 'unchanged' || (visit.kind === 'page' && !duplicates.has(visit))
    if (!same || page === null || outcomes.has(visit)) return []
    // Validators stay those of the stored content: its links are what a 304 will stand for.
    const { uuid, etag, lastModified } = page
    return [{ uuid, etag, lastModified, sources: sourceSet(source), fetchedAt: visit.fetchedAt }]
  })
  if (seen.length > 0) await store.pages.seen(run.project, run.fence, seen)
}

function sourceSet(source: SourceCrawl): string[] {
  return source.isPinned ? [] : [source.uuid]
}

function outcomeOf(
  visit: Visit,
  outcomes: Map<Visit, Outcome>,
  duplicates: Map<Visit, Duplicate>,
): Outcome | null {
  if (visit.kind === 'settled') return visit.task.state?.outcome ?? null
  if (duplicates.has(visit)) return 'skipped'
  if (visit.kind === 'skipped' || visit.kind === 'failed') return visit.kind
  return outcomes.get(visit) ?? 'unchanged'
}

function toSettlement(
  { source, now }: CommitDeps,
  visit: Visit,
  outcome: Outcome | null,
  duplicate: Duplicate | undefined,
): Settlement[] {
  if (outcome === null || (visit.kind === 'settled' && !visit.fetched)) return []
  const target = duplicate?.pendingOn
  const deferred = target != null || (visit.kind === 'skipped' && visit.deferred && !isSecondLook(visit))
  const ending =
    duplicate ??
    (visit.kind === 'skipped' || visit.kind === 'failed'
      ? { reason: visit.reason, message: visit.message }
      : { reason: null, message: '', cut: visit.kind === 'page' ? visit.parsed.cut : [] })
  const about = { url: visit.task.url, source: source.uuid, at: now().toISOString() }
  const event: RunEvent | null = deferred ? null : pageEvent(outcome, ending, about)
  return [
    {
      source: source.uuid,
      url: visit.task.url,
      outcome,
      reason: ending.reason,
      deferred,
      ...(target != null && { target }),
      fetched: visit.fetched,
      event,
    },
  ]
}
