// Makes a group of visits last. The order matters for a kill at any moment: units before the page that names their
// version, pages before outcomes, links before the outcome of the page that showed them. What is done twice after a
// kill ends as if it had been done once.
import { createHash } from 'node:crypto'
import type { SearchIndex, Unit } from '../services/index/search-index.ts'
import type { Listing, Settlement } from '../services/store/frontier.ts'
import type { Page, Publication, PublishResult } from '../services/store/page.ts'
import type { Outcome, Run, RunEvent } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { type Duplicate, findDuplicates, isSecondLook } from './duplicates.ts'
import { pageEvent } from './events.ts'
import { pipeline } from './parse/parse-page.ts'
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
  /** Called when units became current, for the vocabulary. */
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

  const committed = visits.map((visit) => ({ visit, outcome: toOutcome(visit, outcomes, duplicates) }))
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

function toOutcome(
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

interface PublicationWithUnits extends Publication {
  units: Unit[]
}

/** What a publication takes from its run or recrawl; the rest is the visit's. */
type Owner = Pick<Page, 'team' | 'project' | 'sources' | 'pinned' | 'sourceType'>

/** The page that was read, in place of the version that its task knows. */
export function toPublication(visit: PageVisit, owner: Owner): PublicationWithUnits {
  const { task, parsed, identity, validators, fetchedAt } = visit
  const page: Page = {
    ...owner,
    ...identity,
    ...validators,
    url: task.url,
    fetchedAt,
    contentHash: parsed.contentHash,
    pipeline,
    title: parsed.content.title,
    language: parsed.content.language,
    docVersion: parsed.content.docVersion,
    heldBy: null,
  }
  return { page, content: parsed.content, replaces: task.page?.version ?? 0, units: parsed.units ?? [] }
}

/** A writer that loses to another tries again so often, if its page was fetched later. */
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
    await publishAgain(store, project, fence, publications, results)
  }
  const lost = publications.filter((_, position) => results[position] !== 'published')
  if (lost.length > 0) {
    await index.remove(
      project,
      lost.map(({ page }) => ({ page: page.uuid, version: page.version })),
    )
  }
  return results
}

/** Replaces versions that another writer published meanwhile but fetched earlier; the store compares the times. */
async function publishAgain(
  store: Store,
  project: string,
  fence: number | null,
  publications: PublicationWithUnits[],
  results: PublishResult[],
) {
  const stale = results.flatMap((result, position) => (result === 'stale' ? [position] : []))
  const rows = await store.pages.byUuids(stale.map((position) => publications[position]!.page.uuid))
  for (const [at, position] of stale.entries()) {
    const publication = publications[position]!
    const row = rows[at]
    const again = { ...publication, replaces: row?.version ?? 0 }
    results[position] = (await store.pages.publish(project, fence, [again]))[0]!
  }
}

/** The page's UUID (RFC 9562 version 8), made from project and URL: two writers of a new page agree on it. */
export function pageUuid(project: string, url: string): string {
  const hex = createHash('sha256').update(`${project} ${url}`).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
