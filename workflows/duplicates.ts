// Pages that were read but are not indexed, because they have the same text as another page, or name another address as
// canonical. Checked when visits are committed, one group after the other, so that of two pages that refer to each other
// one stays.

import { type FrontierState, isKept } from '../services/store/frontier.ts'
import { pageEvent } from './events.ts'
import { type RunContext, RunEnded } from './run-control.ts'
import type { PageVisit, Visit } from './visit.ts'

export interface Duplicate {
  reason: 'duplicate' | 'canonical'
  message: string
  /** The page is only left out if this page is in the index at the end. Null: it is left out in any case. */
  pendingOn: string | null
}

export async function findDuplicates(
  context: RunContext,
  visits: PageVisit[],
): Promise<Map<Visit, Duplicate>> {
  const duplicates = new Map<Visit, Duplicate>()
  await findCanonicals(context, visits, duplicates)
  const fresh = visits.filter((visit) => visit.task.page === null && !duplicates.has(visit))
  await findCopies(context, fresh, duplicates)
  return duplicates
}

/** Leaves a page out for its canonical address, provisionally while the outcome of that address is open. */
async function findCanonicals(
  { store, run }: RunContext,
  visits: PageVisit[],
  duplicates: Map<Visit, Duplicate>,
) {
  const naming = visits.filter((visit) => visit.canonical !== null)
  if (naming.length === 0) return
  const targets = naming.map((visit) => visit.canonical as string)
  const [states, pages] = await Promise.all([
    store.frontier.states(run.uuid, targets),
    store.pages.byUrls(run.project, targets),
  ])
  const leftOut = new Set<string>()
  for (const [position, visit] of naming.entries()) {
    const target = targets[position] as string
    const indexState = toIndexState(states[position] ?? null, pages[position] != null)
    const isPending = indexState === 'pending'
    if (indexState === 'left_out' || leftOut.has(target) || (isPending && isSecondLook(visit))) continue
    leftOut.add(visit.task.url)
    duplicates.set(visit, { ...canonicalMessage(target), pendingOn: isPending ? target : null })
  }
}

/** Whether the page was already left out for its canonical address, which is not in the index. This outcome is then final. */
export function isSecondLook({ task }: Visit): boolean {
  return task.state?.reason === 'canonical'
}

export function canonicalMessage(target: string) {
  return { reason: 'canonical' as const, message: `It names ${target} as its canonical address.` }
}

export const copyMessage = (url: string) => `It has the same text as ${url}`

/** The first of new pages with the same text stays. */
async function findCopies(
  { store, run }: RunContext,
  visits: PageVisit[],
  duplicates: Map<Visit, Duplicate>,
) {
  if (visits.length === 0) return
  const hashes = visits.map((visit) => visit.parsed.contentHash)
  const stored = await store.pages.byContentHashes(run.project, hashes)
  const urls = stored.map((page) => page.url)
  const states = urls.length === 0 ? [] : await store.frontier.states(run.uuid, urls)
  const visited = new Set(visits.map(({ task }) => task.url))
  const firstByHash = new Map<string, string>()
  for (const [position, page] of stored.entries()) {
    // A recrawl has added it meanwhile: it is one of these pages.
    if (visited.has(page.url)) continue
    // A page that the run has not seen may be removed at its end, so it does not count.
    const state = states[position]
    if (state && toIndexState(state, true) !== 'left_out') firstByHash.set(page.contentHash, page.url)
  }
  for (const visit of visits) {
    const first = firstByHash.get(visit.parsed.contentHash)
    if (first === undefined) firstByHash.set(visit.parsed.contentHash, visit.task.url)
    else duplicates.set(visit, { reason: 'duplicate', message: copyMessage(first), pendingOn: null })
  }
}

/**
 * Whether a page will be in the index at the end of the run. A page that fails stays as before.
 * `pending`: not visited yet.
 */
function toIndexState(state: FrontierState | null, isStored: boolean): 'indexed' | 'left_out' | 'pending' {
  if (state === null || state.outcome === null) return 'pending'
  return isKept(state.outcome) || (state.outcome === 'failed' && isStored) ? 'indexed' : 'left_out'
}

/** Pages per call of the store. */
const resolveBatch = 500

/**
 * Resolves pages that wait for the outcome of their canonical address. Skips a page if its canonical page is in the index. Queues it
 * again if that page is gone, failed or was left out. Returns how many were queued.
 */
export async function resolveCanonicals({ store, run, now }: RunContext, source: string): Promise<number> {
  for (let queued = 0; ; ) {
    const pending = await store.frontier.deferred(run.uuid, resolveBatch, source)
    if (pending.length === 0) return queued
    const targets = pending.map(({ target }) => target ?? '')
    const [states, pages] = await Promise.all([
      store.frontier.states(run.uuid, targets),
      store.pages.byUrls(run.project, targets),
    ])
    const duplicates = pending.filter((_, at) => isDuplicate(states[at] ?? null, pages[at] != null))
    const requeued = pending.filter((entry) => !duplicates.includes(entry))
    const at = now().toISOString()
    const settled = await store.frontier.settle(
      run.uuid,
      duplicates.map(({ url, target }) => ({
        ...{ source, url, outcome: 'skipped', reason: 'canonical', deferred: false, fetched: false },
        event: pageEvent('skipped', canonicalMessage(target ?? ''), { url, source, at }),
      })),
    )
    if (!settled) throw new RunEnded()
    await store.frontier.reopen(
      run.uuid,
      requeued.map(({ url }) => ({ source, url })),
    )
    queued += requeued.length
  }
}

/** A canonical page that itself waits for a third page also counts: one of those two is in the index at the end. */
function isDuplicate(state: FrontierState | null, isStored: boolean): boolean {
  const waits = state?.deferred === true && state.reason === 'canonical'
  return waits || toIndexState(state, isStored) === 'indexed'
}
