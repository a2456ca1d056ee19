// Pages that name another address as canonical wait until it is known what came of that one; then they are left out for good,
// or queued again.
import type { PendingCanonical } from '../services/store/frontier.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { canonicalMessage, indexStateOf } from './duplicates.ts'
import { pageEvent } from './events.ts'
import { RunEnded } from './run-control.ts'

interface ResolveDeps {
  store: Store
  run: Run
  now(): Date
}

const resolvedAtOnce = 500

/**
 * Skips a page whose canonical page is in the index, and queues it again where that one is gone, failed or was left out.
 * Answers how many were queued. Rejects with RunEnded when the run's fence is void.
 */
export async function resolveCanonicals({ store, run, now }: ResolveDeps, source: string): Promise<number> {
  for (let queued = 0; ; ) {
    const pending = await store.frontier.pendingCanonicals(run.uuid, source, resolvedAtOnce)
    if (pending.length === 0) return queued
    const pages = await store.pages.byUrls(
      run.project,
      pending.map(({ target }) => target),
    )
    const duplicates = pending.filter((entry, position) => isDuplicate(entry, pages[position] != null))
    const requeued = pending.filter((entry) => !duplicates.includes(entry))
    const at = now().toISOString()
    const settled = await store.frontier.settle(
      run.uuid,
      duplicates.map(({ url, target }) => ({
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
      requeued.map(({ url }) => ({ source, url })),
    )
    queued += requeued.length
  }
}

/** A canonical page that waits for a third counts: one of those two is in the index at the end. */
function isDuplicate({ state }: PendingCanonical, isStored: boolean): boolean {
  const waits = state?.deferred === true && state.reason === 'canonical'
  return waits || indexStateOf(state, isStored) === 'indexed'
}
