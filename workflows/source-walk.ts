// Walking one source of a run: the pipeline of walk.ts, tied to the store, the page limits and the links found.
import { cutText } from '../crawler/extract/page.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import { isKept, type Listing } from '../services/store/frontier.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { type Committed, commitVisits } from './commit.ts'
import { createLister, createQuota, type Grant, type Quota } from './limits.ts'
import { throwUnlessFault } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'
import {
  faulty,
  type PageVisit,
  pageLimitMessage,
  skipped,
  type Task,
  type Visit,
  type VisitDeps,
  visit,
} from './visit.ts'
import type { VocabularyKeeper } from './vocabulary.ts'
import { walk } from './walk.ts'

/** Addresses remembered so that the store is not asked about each link of each page; beyond it, it is asked again. */
const rememberedLinks = 200_000

interface SourceWalk {
  /** Walks what the source lists until nothing is left. */
  go(): Promise<void>
}

interface SourceWalkDeps {
  store: Store
  index: SearchIndex
  vocabulary: VocabularyKeeper
  run: Run
  source: SourceCrawl
  visitDeps: VisitDeps
  pageLimit: number | null
  addressLimit: number
  now(): Date
  beat(): void
  onProgress(): void
}

export async function createSourceWalk(deps: SourceWalkDeps): Promise<SourceWalk> {
  const { store, run, source, visitDeps } = deps
  const sourceQuota = await openSourceQuota(deps)
  const projectQuota = await openProjectQuota(deps)
  const lister = await createLister(deps, source)
  const known = new Set<string>()
  let notedMove = source.ledTo

  const quotasOf = (task: Task): Quota[] => (task.page ? [sourceQuota] : [sourceQuota, projectQuota])

  function admit(task: Task): Grant {
    const taken: Quota[] = []
    for (const quota of quotasOf(task)) {
      const grant = quota.take()
      if (grant !== 'granted') {
        for (const earlier of taken) earlier.giveBack()
        return grant
      }
      taken.push(quota)
    }
    return 'granted'
  }

  function admitLinks(found: Visit): Listing[] {
    const { depth } = found.task
    if (known.size > rememberedLinks) known.clear()
    const fresh: Listing[] = []
    for (const { url, steps } of found.links) {
      const within = source.maxDepth === null || depth + steps <= source.maxDepth
      // What is too deep from here may be near from a page that is read later, behind a redirect.
      if (!within || known.has(url)) continue
      known.add(url)
      if (source.scope.covers(url)) fresh.push({ source: source.uuid, url, depth: depth + steps })
    }
    return fresh
  }

  /** Stored before the outcome of the start: a run that is resumed does not ask for the start again. */
  async function noteMove() {
    const moved = source.movedTo()
    if (moved === null || moved === notedMove) return
    await store.sources.moved(source.uuid, moved)
    notedMove = moved
  }

  async function nameByStart({ task, parsed }: PageVisit) {
    if (task.url !== (source.movedTo() ?? source.start)) return
    await nameProject(store, run.project, { start: source.start, title: parsed.content.title }, deps.now)
  }

  const commitDeps = { ...deps, admitLinks, list: lister.list, published: deps.vocabulary.changed }

  /** A page that cannot be written fails, and the others of its group are written. */
  async function commitEach(visits: Visit[]): Promise<Committed[]> {
    try {
      return await commitVisits(commitDeps, visits)
    } catch (error) {
      throwUnlessFault(error, visitDeps.signal)
      const [only] = visits
      if (only?.kind === 'failed') throw error
      if (visits.length > 1) return (await inTurn(visits, (each) => commitEach([each]))).flat()
      visitDeps.report(error)
      return commitEach([faulty(only!.task, only!.links)])
    }
  }

  return {
    go: () =>
      walk({
        byLevel: source.maxDepth !== null,
        next: (count) => store.frontier.next(run.uuid, source.uuid, count),
        prepare: (listings) => prepare(deps, listings),
        admit,
        visit: (task) => visit(visitDeps, source, task).finally(deps.beat),
        refuse: (task) => skipped(task, 'page_limit', pageLimitMessage, { deferred: true }),
        async commit(visits) {
          await noteMove()
          const committed = await commitEach(visits)
          deps.onProgress()
          for (const { visit, outcome } of committed) {
            if (visit.kind === 'page') await nameByStart(visit)
            if (visit.kind === 'skipped' && visit.reason === 'page_limit') continue
            for (const quota of quotasOf(visit.task)) {
              if (isKept(outcome)) quota.keep()
              else quota.giveBack()
            }
          }
        },
      }),
  }
}

async function inTurn<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}

async function prepare({ store, run }: SourceWalkDeps, listings: Listing[]): Promise<Task[]> {
  const urls = listings.map((listing) => listing.url)
  const [states, pages] = await Promise.all([
    store.frontier.states(run.uuid, urls),
    store.pages.byUrls(run.project, urls),
  ])
  return listings.map((listing, position) => ({
    ...listing,
    state: states[position] ?? null,
    page: pages[position] ?? null,
  }))
}

async function openSourceQuota({ store, run, source }: SourceWalkDeps): Promise<Quota> {
  if (source.maxPages === null) return createQuota(null)
  return createQuota(source.maxPages - (await store.frontier.kept(run.uuid, source.uuid)))
}

async function openProjectQuota({ store, run, pageLimit }: SourceWalkDeps): Promise<Quota> {
  if (pageLimit === null) return createQuota(null)
  return createQuota(pageLimit - (await store.pages.count(run.project)))
}

/** Characters of a project's name. */
const maxName = 200

interface StartPage {
  /** The start address of the source. */
  start: string
  title: string
}

/** Names the project by its site's title, while its name still is the host of the start address. */
async function nameProject(
  store: Store,
  uuid: string,
  { start, title }: StartPage,
  now: () => Date,
): Promise<void> {
  const name = cutText(title.replace(/\p{Cc}/gu, '').trim(), maxName)
  const project = await store.projects.byUuid(uuid)
  if (project === null || name === '' || project.name !== new URL(start).host) return
  // A concurrent change wins: the next run tries again.
  await store.projects.update({
    ...project,
    name,
    updatedAt: now().toISOString(),
    revision: project.revision + 1,
  })
}
