// Pages that were read but are not indexed, because another page stands for them: the same text under another address,
// or an address that they name as canonical. Judged when visits are committed, one group after the other, so that of two
// pages that point at each other one stays.

import type { FrontierState } from '../services/store/frontier.ts'
import type { Outcome, Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import type { PageVisit, Visit } from './visit.ts'

export interface Diversion {
  reason: 'duplicate' | 'canonical'
  message: string
  /** The page that it waits for: it is left out only if that one is in the index at the end. Null: for good. */
  awaits: string | null
}

interface DiversionDeps {
  store: Store
  run: Run
}

/** Outcomes that leave the page in the index. */
export function keeps(outcome: Outcome): boolean {
  return outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'
}

export async function findDiversions(
  deps: DiversionDeps,
  visits: PageVisit[],
): Promise<Map<Visit, Diversion>> {
  const diversions = new Map<Visit, Diversion>()
  await divertToCanonical(deps, visits, diversions)
  await divertToFirst(
    deps,
    visits.filter((visit) => visit.task.page === null && !diversions.has(visit)),
    diversions,
  )
  return diversions
}

/** A page is left out for the canonical address that it names; provisionally while nobody knows what comes of that. */
async function divertToCanonical(
  { store, run }: DiversionDeps,
  visits: PageVisit[],
  diversions: Map<Visit, Diversion>,
) {
  const naming = visits.filter((visit) => visit.canonical !== null)
  const targets = naming.map((visit) => visit.canonical as string)
  const [states, pages] = await Promise.all([
    store.frontier.states(run.uuid, targets),
    store.pages.byUrls(run.project, targets),
  ])
  const diverted = new Set<string>()
  for (const [position, visit] of naming.entries()) {
    const target = targets[position] as string
    const standing = standingOf(states[position] ?? null, pages[position] != null)
    const isOpen = standing === 'open'
    if (standing === 'falls' || diverted.has(target) || (isOpen && isSecondLook(visit))) continue
    diverted.add(visit.task.url)
    diversions.set(visit, { ...canonicalMessage(target), awaits: isOpen ? target : null })
  }
}

/** Whether the page was left out for its canonical address before, which stands for none: what comes of it now is final. */
export function isSecondLook({ task }: Visit): boolean {
  return task.state?.reason === 'canonical'
}

export function canonicalMessage(target: string) {
  return { reason: 'canonical' as const, message: `It names ${target} as its canonical address.` }
}

/** Of new pages with the same text the first one stays. */
async function divertToFirst(
  { store, run }: DiversionDeps,
  visits: PageVisit[],
  diversions: Map<Visit, Diversion>,
) {
  const stored = await store.pages.byContentHashes(
    run.project,
    visits.map((visit) => visit.parsed.contentHash),
  )
  const states = await store.frontier.states(
    run.uuid,
    stored.map((page) => page.url),
  )
  const visited = new Set(visits.map(({ task }) => task.url))
  const firstByHash = new Map<string, string>()
  for (const [position, page] of stored.entries()) {
    // A recrawl has added it meanwhile: it is one of these pages, and no copy of itself.
    if (visited.has(page.url)) continue
    // A page that the run does not know may be about to go: it stands for no other.
    const state = states[position]
    if (state && standingOf(state, true) !== 'falls') firstByHash.set(page.contentHash, page.url)
  }
  for (const visit of visits) {
    const first = firstByHash.get(visit.parsed.contentHash)
    if (first === undefined) firstByHash.set(visit.parsed.contentHash, visit.task.url)
    else {
      const message = `It holds the same text as ${first}`
      diversions.set(visit, { reason: 'duplicate', message, awaits: null })
    }
  }
}

/**
 * Whether a page is in the index when the run ends, as far as the run knows: one that fails stays as it was before.
 * `open`: not visited yet.
 */
export function standingOf(state: FrontierState | null, isStored: boolean): 'stands' | 'falls' | 'open' {
  if (state === null || state.outcome === null) return 'open'
  return keeps(state.outcome) || (state.outcome === 'failed' && isStored) ? 'stands' : 'falls'
}
