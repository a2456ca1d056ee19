// The end of a run in the store and in its event log, its resumption, and the end of a recrawl, for both runners.
import type { Run, RunEvent, RunWithCounts } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { runEvent } from './events.ts'

type RunKey = Pick<Run, 'uuid' | 'project'>

const faultMessage = 'The run met an internal error.'

const endings = {
  completed: { level: 'info', message: 'The run has completed.' },
  failed: { level: 'error', message: faultMessage },
  cancelled: { level: 'warning', message: 'The run was cancelled.' },
} as const

/** Ends the run if it has not ended; its last event is written if a kill came between. */
export async function endRun(
  store: Store,
  { uuid, project }: RunKey,
  status: 'failed' | 'cancelled',
  at: Date,
): Promise<void> {
  await store.runs.finish(uuid, {
    status,
    at: at.toISOString(),
    error: status === 'failed' ? faultMessage : null,
  })
  await noteEnd(store, { uuid, project })
}

/** Logs that a run continues after its process ended, once for each state of its counts. A run that had not begun only starts late. */
export async function noteResumed(store: Store, { uuid, project }: RunKey, at: Date): Promise<void> {
  const run = await store.runs.get(project, uuid)
  if (run?.status !== 'running') return
  const { discovered, pending, removed } = run.pages
  const message = `The run continues after its process ended. ${discovered - pending} of ${discovered} pages were done.`
  const id = `run_resumed:${discovered} ${pending} ${removed}`
  await store.runs.append(uuid, [
    runEvent('run_resumed', at.toISOString(), message, { id, level: 'warning' }),
  ])
}

/** Ends a recrawl that has not ended as dropped. */
export async function dropRecrawl(store: Store, uuid: string, at: Date): Promise<void> {
  const message = 'The recrawl failed with an internal error, or was interrupted too often.'
  const end = { status: 'dropped', reason: 'unfetchable', message, finishedAt: at.toISOString() } as const
  await store.recrawls.settle(uuid, end)
}

/** Writes the last event of an ended run, which a kill between the run's end and its event has left out. */
export async function noteEnd(store: Store, { uuid, project }: RunKey): Promise<void> {
  const run = await store.runs.get(project, uuid)
  const event = run && lastEvent(run)
  if (event) await store.runs.appendLast(uuid, event)
}

function lastEvent({ status, supersededBy, finishedAt, error }: RunWithCounts): RunEvent | null {
  if (status === 'queued' || status === 'running' || finishedAt === null) return null
  const { level, message } = endings[status]
  const text = supersededBy === null ? (error ?? message) : 'A newer run has taken its place.'
  return runEvent('run_finished', finishedAt, text, { level })
}
