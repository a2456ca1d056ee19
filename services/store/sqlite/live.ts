// Who may write: the one row that says so is the project's.
import type { Connection } from './connection.ts'

/** The row id of a live run; undefined when it has ended or is unknown. */
export const liveRun = (db: Connection, uuid: string): number | undefined =>
  db.get<{ id: number }>(
    'select run.id from run join project on project.live_run = run.id where run.uuid = ?',
    uuid,
  )?.id

/**
 * The row id of a project under whose fence a write may go: the fence of its live run, or none (null, a recrawl).
 * Undefined when the fence is void or the project is gone.
 */
export const fencedProject = (db: Connection, uuid: string, fence: number | null): number | undefined =>
  db.get<{ id: number }>(
    'select id from project where uuid = ?1 and (?2 is null or (fence = ?2 and live_run is not null))',
    uuid,
    fence,
  )?.id
