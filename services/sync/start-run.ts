// Starts and ends runs of a project. The store decides which run is live, the runs port does the work.
import { DomainError } from '../errors.ts'
import type { Runs } from '../runs/runs.ts'
import type { Project } from '../store/project.ts'
import type { Run, RunEnd, RunEvent, RunKey, RunStatus, Trigger } from '../store/run.ts'
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
 * Begins a run, and cancels the live one. Resolves once the previous run has stopped sending requests. If the work cannot be
 * started, rejects with the error of the runs port and leaves no live run.
 */
export async function startRun(deps: RunDeps, project: Project, trigger: Trigger): Promise<Run> {
  // Checked first, so that a run that cannot start does not cancel the live one.
  await deps.runs.ping()
  // This process's clock may be behind that of the one that began the latest run, but the new run has to be listed first.
  const latest = await deps.store.runs.latest(project.uuid)
  const now = deps.now().toISOString()
  const begun = await deps.store.runs.begin({
    uuid: deps.newUuid(),
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
 * Starts a scheduled run, unless the project has no sources or has a live run: otherwise a run that takes longer than the
 * schedule's interval would never complete.
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
    throw new DomainError('run_ended', `The run has already ended: it is ${run.status}.`)
  }
  await deps.runs.stopSync(run)
}

export const faultMessage = 'The run failed with an internal error.'

const endings: { [Status in RunStatus]?: Pick<RunEvent, 'level' | 'message'> } = {
  completed: { level: 'info', message: 'The run has completed.' },
  failed: { level: 'error', message: faultMessage },
  cancelled: { level: 'warning', message: 'The run was cancelled.' },
}

/** Ends the run and writes its last event. False if it has already ended. */
export async function finishRun(store: Store, run: RunKey, end: RunEnd): Promise<boolean> {
  const isEnded = await store.runs.finish(run.uuid, end)
  await logEnd(store, run)
  return isEnded
}

/** Writes the last event of an ended run, which may be missing after a crash. */
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
