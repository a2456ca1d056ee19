// Visits listings concurrently, and commits visits in groups while the next ones are pending. Memory is bounded: the number of
// visits that are pending or wait for a commit is limited.
import type { Listing } from '../services/store/frontier.ts'
import type { Grant } from './limits.ts'
import type { Task, Visit } from './visit.ts'

/** Maximum pending visits: eight connections per host, and twice as many pages in or before parsing. */
const maxVisits = 24
/** Visits per commit. Fewer if no other visit can start: the commit may add listings. */
const groupSize = 64
/** Visits that may wait for a commit. Above this, no visit starts. */
const maxWaiting = 2 * groupSize
/** Listings read from the store ahead of the visits. */
const readAhead = 256

export interface WalkDeps {
  /**
   * Whether a page waits for the links of all pages nearer to the start. A listing's depth is then the minimum number of
   * links to it, in whatever order pages respond.
   */
  byLevel: boolean
  /** Returns the next unwalked listings in the order of discovery. */
  next(limit: number): Promise<Listing[]>
  /** Reads the state of each from the store. */
  prepare(listings: Listing[]): Promise<Task[]>
  /** Whether the page limits allow this visit now. */
  admit(task: Task): Grant
  visit(task: Task): Promise<Visit>
  /** Returns the visit of a page that the limits exclude. */
  refuse(task: Task): Visit
  /** Stores the outcomes of visits, which may add listings. */
  commit(visits: Visit[]): Promise<void>
}

/** Visits listings until none is left. Rejects with the first failure after all visits have ended. */
export async function walk(deps: WalkDeps): Promise<void> {
  const queued = new Set<string>()
  const waiting: Task[] = []
  const visits = new Set<Promise<void>>()
  /** Contains at most one. */
  const commits = new Set<Promise<void>>()
  const visited: Visit[] = []
  /** Tasks that were started or refused, and are not yet committed. */
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
