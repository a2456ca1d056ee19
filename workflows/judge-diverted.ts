// Pages that were left out for the address that they name as canonical, judged when it is known what came of it
// (decisions.md section 5, skip reason `canonical`).

import type { PendingCanonical } from '../services/store/frontier.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { canonicalMessage, standingOf } from './diversion.ts'
import { pageEvent } from './events.ts'
import { RunEnded } from './run-control.ts'

interface JudgeDeps {
  store: Store
  run: Run
  now(): Date
}

const judgedAtOnce = 500

/**
 * Leaves a page out for good where the one that it names stands, and has it walked once more where that one is gone,
 * fails or is left out itself. Answers how many are to be walked. Rejects with RunEnded when the run's fence is void.
 */
export async function judgeDiverted({ store, run, now }: JudgeDeps, source: string): Promise<number> {
  for (let opened = 0; ; ) {
    const diverted = await store.frontier.pendingCanonicals(run.uuid, source, judgedAtOnce)
    if (diverted.length === 0) return opened
    const pages = await store.pages.byUrls(
      run.project,
      diverted.map(({ target }) => target),
    )
    const standing = diverted.filter((entry, position) => stands(entry, pages[position] != null))
    const fallen = diverted.filter((entry) => !standing.includes(entry))
    const at = now().toISOString()
    const settled = await store.frontier.settle(
      run.uuid,
      standing.map(({ url, target }) => ({
        source,
        url,
        outcome: 'skipped',
        reason: 'canonical',
        deferred: false,
        fetched: false,
        event: pageEvent('skipped', canonicalMessage(target), { url, source, at }),
      })),
    )
    if (!settled) throw new RunEnded()
    await store.frontier.reopen(
      run.uuid,
      fallen.map(({ url }) => ({ source, url })),
    )
    opened += fallen.length
  }
}

/** One that names a third is judged itself: either that one or it is in the index at the end. */
function stands({ state }: PendingCanonical, isStored: boolean): boolean {
  const isDiverted = state?.deferred === true && state.reason === 'canonical'
  return isDiverted || standingOf(state, isStored) === 'stands'
}
