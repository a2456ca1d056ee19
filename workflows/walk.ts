// The pipeline of a walk: listings are visited side by side, and what they came to is committed in groups while the
// next ones are under way. Memory is bounded: a fixed number of visits is under way or waits for its commit.
import type { Listing } from '../services/store/frontier.ts'
import type { Grant } from './quota.ts'
import type { Task, Visit } from './visit.ts'

/** Visits under way: eight connections a host, and as many pages again being parsed or about to be. */
const parallelVisits = 24
/** A commit starts with this many, or with what there is when nothing else can start: new listings may come of it. */
const groupSize = 64
/** Visits that wait for a commit; more than this, and no visit is started. */
const backlog = 2 * groupSize
/** Listings read from the store at once. */
const readAhead = 256

export interface WalkDeps {
  /**
   * Whether a page waits until all that are nearer to the start have told their links: then a listing's depth is the least
   * number of links to it, in whichever order the pages answer.
   */
  byLevel: boolean
  /** The next unwalked listings in the order of discovery, from the front. */
  next(limit: number): Promise<Listing[]>
  /** Looks up what the store knows of each. */
  prepare(listings: Listing[]): Promise<Task[]>
  /** Whether the page limits allow this visit now. */
  admit(task: Task): Grant
  visit(task: Task): Promise<Visit>
  /** The visit that stands for a page that the limits leave out. */
  refuse(task: Task): Visit
  /** Makes visits last; new listings may come of it. */
  commit(visits: Visit[]): Promise<void>
}

/** Walks until no listing is left. Rejects with the first failure, when all visits have ended. */
export async function walk(deps: WalkDeps): Promise<void> {
  const queued = new Set<string>()
  const waiting: Task[] = []
  const visited: Visit[] = []
  /** Visits that were started or refused and are not committed. */
  const open = new Set<Task>()
  let underWay = 0
  let committing = false
  let mayHaveMore = true
  let failure: unknown
  let wake = Promise.withResolvers<void>()

  const refill = async () => {
    mayHaveMore = false
    const listings = await deps.next(queued.size + readAhead)
    const fresh = listings.filter((listing) => !queued.has(listing.url))
    for (const listing of fresh) queued.add(listing.url)
    waiting.push(...(await deps.prepare(fresh)))
  }

  const launch = (task: Task) => {
    underWay += 1
    deps
      .visit(task)
      .then(
        (visit) => visited.push(visit),
        (error) => (failure ??= error),
      )
      .finally(() => {
        underWay -= 1
        wake.resolve()
      })
  }

  const commitGroup = (group: Visit[]) => {
    committing = true
    deps
      .commit(group)
      .then(
        () => {
          for (const { task } of group) {
            queued.delete(task.url)
            open.delete(task)
          }
          mayHaveMore = true
        },
        (error) => (failure ??= error),
      )
      .finally(() => {
        committing = false
        wake.resolve()
      })
  }

  const waitsForLevel = ({ depth }: Task) => deps.byLevel && [...open].some((nearer) => nearer.depth < depth)

  const launchWhatMay = () => {
    while (waiting.length > 0 && underWay < parallelVisits && visited.length < backlog) {
      const task = waiting[0] as Task
      if (waitsForLevel(task)) return
      const grant = deps.admit(task)
      if (grant === 'wait') return
      waiting.shift()
      open.add(task)
      if (grant === 'granted') launch(task)
      else visited.push(deps.refuse(task))
    }
  }

  for (;;) {
    wake = Promise.withResolvers<void>()
    if (failure === undefined) {
      if (waiting.length === 0 && mayHaveMore) {
        await refill().catch((error) => (failure ??= error))
      }
      launchWhatMay()
      const nothingElse = waiting.length === 0 || underWay === 0
      const ready = visited.length >= groupSize || (visited.length > 0 && nothingElse)
      if (ready && !committing) commitGroup(visited.splice(0, 2 * groupSize))
    }
    if (underWay === 0 && !committing) {
      if (failure !== undefined) throw failure
      const idle = waiting.length === 0 && visited.length === 0
      if (idle && !mayHaveMore) return
      if (idle) continue
    }
    await wake.promise
  }
}
