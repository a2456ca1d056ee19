// The pipeline of a walk: listings are visited side by side, and visits are committed in groups while the next ones are under way.
// Memory is bounded: a fixed number of visits is under way or waits for its commit.
import type { Listing } from '../services/store/frontier.ts'
import type { Grant } from './limits.ts'
import type { Task, Visit } from './visit.ts'

/** Visits under way: eight connections a host, and as many pages again being parsed or about to be. */
const maxVisits = 24
/** A commit starts with this many, or with what there is when nothing else can start: new listings may come of it. */
const groupSize = 64
/** Visits that wait for a commit; more than this, and no visit is started. */
const maxWaiting = 2 * groupSize
/** Listings read from the store ahead of the visits. */
const readAhead = 256

export interface WalkDeps {
  /**
   * Whether a page waits until the links of all pages nearer to the start are known: then a listing's depth is the least
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
  /** The visit of a page that the limits leave out. */
  refuse(task: Task): Visit
  /** Stores the outcomes of visits; new listings may come of it. */
  commit(visits: Visit[]): Promise<void>
}

/** Walks until no listing is left. Rejects with the first failure, when all visits have ended. */
export async function walk(deps: WalkDeps): Promise<void> {
  const queued = new Set<string>()
  const waiting: Task[] = []
  const visits = new Set<Promise<void>>()
  /** At most one. */
  const commits = new Set<Promise<void>>()
  const visited: Visit[] = []
  /** Tasks that were started or refused and are not committed. */
  const open = new Set<Task>()
  let mayHaveMore = true

  async function refill() {
    mayHaveMore = false
    const listings = await deps.next(queued.size + readAhead)
    const fresh = listings.filter(({ url }) => !queued.has(url))
    for (const { url } of fresh) queued.add(url)
    waiting.push(...(await deps.prepare(fresh)))
  }

  function startVisits() {
    while (waiting.length > 0 && visits.size < maxVisits && visited.length < maxWaiting) {
      const task = waiting[0]!
      if (deps.byLevel && [...open].some(({ depth }) => depth < task.depth)) return
      const grant = deps.admit(task)
      if (grant === 'wait') return
      waiting.shift()
      open.add(task)
      if (grant === 'granted') startVisit(task)
      else visited.push(deps.refuse(task))
    }
  }

  function startVisit(task: Task) {
    const visit = deps.visit(task).then((found) => {
      visited.push(found)
      visits.delete(visit)
    })
    visits.add(visit)
    // The loop below reads the failure.
    visit.catch(() => {})
  }

  function startCommit() {
    const isIdle = waiting.length === 0 || visits.size === 0
    const isDue = visited.length >= groupSize || (visited.length > 0 && isIdle)
    if (commits.size > 0 || !isDue) return
    const group = visited.splice(0, maxWaiting)
    const commit = deps.commit(group).then(() => {
      for (const { task } of group) {
        queued.delete(task.url)
        open.delete(task)
      }
      mayHaveMore = true
      commits.delete(commit)
    })
    commits.add(commit)
    commit.catch(() => {})
  }

  try {
    for (;;) {
      if (waiting.length === 0 && mayHaveMore) await refill()
      startVisits()
      startCommit()
      const underWay = [...visits, ...commits]
      if (underWay.length > 0) await Promise.race(underWay)
      else if (waiting.length + visited.length === 0 && !mayHaveMore) return
    }
  } finally {
    await Promise.allSettled([...visits, ...commits])
  }
}
