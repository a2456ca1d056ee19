// Walking one source of a run: the pipeline of walk.ts, tied to the store, the page limits and the links found.
import { cutText } from '../crawler/extract/page.ts'
import { isKept, type Listing } from '../services/store/frontier.ts'
import { type Committed, commitVisits } from './commit.ts'
import { createLister, createQuota, type Quota, release, reserve } from './limits.ts'
import { type RunContext, throwUnlessFault } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'
import { faulty, pageLimitMessage, skipped, type Task, type Visit, visit } from './visit.ts'
import { walk } from './walk.ts'

/** Addresses remembered so that the store is not asked about each link of each page; beyond it, it is asked again. */
const rememberedLinks = 200_000

/** The function that it answers walks what the source lists until nothing is left. */
export async function createSourceWalk(
  context: RunContext,
  source: SourceCrawl,
): Promise<() => Promise<void>> {
  const { store, run, project, signal, pageLimit } = context
  const kept = source.maxPages === null ? 0 : await store.frontier.kept(run.uuid, source.uuid)
  const sourceQuota = createQuota(source.maxPages === null ? null : source.maxPages - kept)
  const projectQuota = createQuota(pageLimit === null ? null : pageLimit - (await store.pages.count(project)))
  const lister = await createLister(context, source)
  const known = new Set<string>()
  let notedMove = source.ledTo

  const quotasFor = (task: Task): Quota[] => (task.page ? [sourceQuota] : [sourceQuota, projectQuota])

  /** The found addresses that are new to the source. */
  function admitLinks({ task, links }: Visit): Listing[] {
    if (known.size > rememberedLinks) known.clear()
    const fresh: Listing[] = []
    for (const { url, steps } of links) {
      const depth = task.depth + steps
      // A page that is too deep here may be near a page that is read later, behind a redirect.
      if (depth > (source.maxDepth ?? depth) || known.has(url)) continue
      known.add(url)
      if (source.scope.covers(url)) fresh.push({ source: source.uuid, url, depth })
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

  const list = (visits: Visit[]) => lister.list(visits.flatMap(admitLinks))

  /** A page that cannot be written fails, and the others of its group are written. */
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
      if (visit.kind === 'page' && isStart) await nameProject(context, source, visit.parsed.content.title)
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

/** Characters of a project's name. */
const maxName = 200

/** Names the project by its site's title, while its name still is the host of the start address. */
async function nameProject({ store, project: uuid, now }: RunContext, { start }: SourceCrawl, title: string) {
  const name = cutText(title.replace(/\p{Cc}/gu, '').trim(), maxName)
  const project = await store.projects.byUuid(uuid)
  if (project === null || name === '' || project.name !== new URL(start).host) return
  // A concurrent change wins: the next run tries again.
  const updatedAt = now().toISOString()
  await store.projects.update({ ...project, name, updatedAt, revision: project.revision + 1 })
}
