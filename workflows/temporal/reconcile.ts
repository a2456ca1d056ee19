// What the store calls live has a workflow, and what has none is ended or started: after kills between store and Temporal,
// after a person has terminated a workflow, and where Temporal has lost its data.
import type { SearchIndex } from '../../services/index/search-index.ts'
import type { Run } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import { endRun } from '../run-endings.ts'
import { findLeftovers } from '../sweep.ts'
import type { TemporalRuns } from './temporal-runs.ts'

interface ReconcileDeps {
  store: Store
  index: SearchIndex
  runs: TemporalRuns
  now(): Date
}

/** Live runs that are older, in milliseconds: a younger one's workflow may be about to start. */
const settledAfter = 5_000

/** Rejects when a backend is away: the next time does it. */
export async function reconcile(deps: ReconcileDeps): Promise<void> {
  const { store, runs, now } = deps
  const young = new Date(now().getTime() - settledAfter).toISOString()
  for (const run of await store.runs.live()) {
    if (run.createdAt < young) await reconcileRun(deps, run)
  }
  for (const recrawl of await store.recrawls.live()) {
    if (recrawl.createdAt < young) await runs.startRecrawl(recrawl)
  }
}

async function reconcileRun({ store, runs, now }: ReconcileDeps, run: Run) {
  const state = await runs.stateOf(run)
  if (state === 'cancelled' || state === 'failed') await endRun(store, run, state, now())
  else if (state !== 'open') await runs.startSync(run)
}

/** Done when a worker starts: what a kill, or a deletion while Temporal was away, has left in the index and in Temporal. */
export async function cleanUpLeftovers({ store, index, runs }: ReconcileDeps): Promise<void> {
  const { gone, cancelled } = await findLeftovers(store, index)
  for (const project of gone) await runs.dropProject(project)
  for (const project of cancelled) await runs.removeOrphans(project)
}
