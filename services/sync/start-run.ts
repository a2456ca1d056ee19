// Starting and ending the run of a project: the store decides which run is live, the runs port does its work.
import { DomainError } from '../errors.ts'
import type { Runs } from '../runs/runs.ts'
import type { Project } from '../store/project.ts'
import type { Run, RunEvent, Trigger } from '../store/run.ts'
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
  if (begun.superseded) await noteEnd(deps, begun.superseded, 'warning', 'A newer run has taken its place.')
  try {
    await deps.runs.startSync(begun.run)
  } catch (error) {
    const message = 'The run could not be started.'
    const end = { status: 'failed' as const, at: deps.now().toISOString(), error: message }
    if (await deps.store.runs.finish(begun.run.uuid, end))
      await noteEnd(deps, begun.run.uuid, 'error', message)
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
  if (!(await deps.store.runs.finish(run.uuid, end))) {
    throw new DomainError('run_ended', `The run has ended already: it is ${run.status}.`)
  }
  await noteEnd(deps, run.uuid, 'warning', 'The run was cancelled.')
  await deps.runs.stopSync(run)
}

async function noteEnd({ store, now }: RunDeps, run: string, level: RunEvent['level'], message: string) {
  await store.runs.appendLast(run, {
    ...{ id: 'run_finished', type: 'run_finished', at: now().toISOString(), level, message },
    ...{ url: null, sourceUuid: null, reason: null },
  })
}
