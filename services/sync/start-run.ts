// Starting and ending the run of a project: the store decides which run is live, the runs port does its work.
import { DomainError } from '../errors.ts'
import type { Runs } from '../runs/runs.ts'
import type { Project } from '../store/project.ts'
import type { Run, RunEnd, RunEvent, RunStatus, Trigger } from '../store/run.ts'
import type { Store } from '../store/store.ts'

export interface RunDeps {
  store: Store
  runs: Runs
  now(): Date
  newUuid(): string
}

/** Whether the run has not ended. */
export function isLive({ status }: Run): boolean {
  return status === 'queued' || status === 'running'
}

export async function hasSources({ sources }: Store, project: string): Promise<boolean> {
  return (await sources.all(project)).length > 0
}

/**
 * Begins a run; one that is live ends `cancelled`. Returns when the run before has stopped asking the site. Where work cannot
 * be started now, it rejects with what the runs port says, and no run is left that nobody works on.
 */
export async function startRun(deps: RunDeps, project: Project, trigger: Trigger): Promise<Run> {
  // Asked before: a run that cannot start would end the live one for nothing.
  await deps.runs.ping()
  // The clock of this process may be behind that of the one which began the run before: the newer run is listed first all the same.
  const latest = await deps.store.runs.latest(project.uuid)
  const now = deps.now().toISOString()
  const begun = await deps.store.runs.begin({
    uuid: deps.newUuid(),
    team: project.team,
    project: project.uuid,
    trigger,
    status: 'queued',
    createdAt: latest !== null && latest.createdAt > now ? latest.createdAt : now,
    startedAt: null,
    finishedAt: null,
    error: null,
    supersededBy: null,
    sourcesFailed: 0,
  })
  if (begun === null) throw new DomainError('not_found', 'There is no such project.')
  if (begun.superseded) await logEnd(deps.store, { uuid: begun.superseded, project: project.uuid })
  try {
    await deps.runs.startSync(begun.run)
  } catch (error) {
    const at = deps.now().toISOString()
    await finishRun(deps.store, begun.run, { status: 'failed', at, error: 'The run could not be started.' })
    throw error
  }
  return begun.run
}

/**
 * Starts the run of a schedule, unless the project has no sources or a live run: a run that takes longer than the interval of the
 * schedule would otherwise never end.
 */
export async function startScheduled(deps: RunDeps, uuid: string): Promise<void> {
  const project = await deps.store.projects.byUuid(uuid)
  if (project === null || !(await hasSources(deps.store, uuid))) return
  const latest = await deps.store.runs.latest(uuid)
  if (latest === null || !isLive(latest)) await startRun(deps, project, 'schedule')
}

/** Ends a live run as `cancelled`. */
export async function cancelRun(deps: RunDeps, run: Run): Promise<void> {
  const end = { status: 'cancelled' as const, at: deps.now().toISOString(), error: null }
  if (!(await finishRun(deps.store, run, end))) {
    throw new DomainError('run_ended', `The run has ended already: it is ${run.status}.`)
  }
  await deps.runs.stopSync(run)
}

type RunKey = Pick<Run, 'uuid' | 'project'>

export const faultMessage = 'The run met an internal error.'

const endings: { [Status in RunStatus]?: Pick<RunEvent, 'level' | 'message'> } = {
  completed: { level: 'info', message: 'The run has completed.' },
  failed: { level: 'error', message: faultMessage },
  cancelled: { level: 'warning', message: 'The run was cancelled.' },
}

/** Ends the run with its last event; false where it had ended before. */
export async function finishRun(store: Store, run: RunKey, end: RunEnd): Promise<boolean> {
  const isEnded = await store.runs.finish(run.uuid, end)
  await logEnd(store, run)
  return isEnded
}

/** Writes the last event of an ended run: a kill may have come between the run's end and its event. */
export async function logEnd({ runs }: Store, { uuid, project }: RunKey): Promise<void> {
  const run = await runs.get(project, uuid)
  const ending = run && endings[run.status]
  if (!ending || run.finishedAt === null) return
  const message =
    run.supersededBy === null ? (run.error ?? ending.message) : 'A newer run has taken its place.'
  await runs.appendLast(uuid, {
    ...{ id: 'run_finished', type: 'run_finished', at: run.finishedAt, level: ending.level, message },
    ...{ url: null, sourceUuid: null, reason: null },
  })
}
