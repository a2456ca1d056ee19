// A run as it lies in its table, and who may write: the row of the project says so.
import type { Run, RunWithCounts } from '../run.ts'
import type { Connection } from './connection.ts'

export const runColumns = `run.uuid, run.team, project.uuid as project, run.fence, run.trigger, run.status,
  run.created_at as createdAt, run.started_at as startedAt, run.finished_at as finishedAt, run.error,
  run.superseded_by as supersededBy`
export const countColumns =
  'run.discovered, run.pending, run.fetched, run.unchanged, run.added, run.updated, run.skipped, run.failed, run.removed'

export type RunRow = Run & RunWithCounts['pages']

export function toRun(row: RunRow): RunWithCounts {
  const { discovered, pending, fetched, unchanged, added, updated, skipped, failed, removed, ...run } = row
  return {
    ...run,
    pages: { discovered, pending, fetched, unchanged, added, updated, skipped, failed, removed },
  }
}

export function toRunOrNull(row: RunRow | undefined): RunWithCounts | null {
  return row === undefined ? null : toRun(row)
}

/** The row id of a live run; undefined when it has ended or is unknown. */
export function liveRun(db: Connection, uuid: string): number | undefined {
  return db.get<{ id: number }>(
    'select run.id from run join project on project.live_run = run.id where run.uuid = ?',
    uuid,
  )?.id
}

/**
 * The row id of a project under whose fence a write may go: the fence of its live run, or none (null, a recrawl).
 * Undefined when the fence is void or the project is gone.
 */
export function fencedProject(db: Connection, uuid: string, fence: number | null): number | undefined {
  return db.get<{ id: number }>(
    'select id from project where uuid = ?1 and (?2 is null or (fence = ?2 and live_run is not null))',
    uuid,
    fence,
  )?.id
}
