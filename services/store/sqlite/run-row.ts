// A run as it lies in its table, and who may write: the row of the project says so.
import type { Run, RunWithCounts } from '../run.ts'
import type { Connection } from './connection.ts'
import { createTable } from './table.ts'

const plain = 'uuid team fence trigger status createdAt startedAt finishedAt error supersededBy sourcesFailed'
const project = 'project.uuid'
const counts = 'discovered pending fetched unchanged added updated skipped failed removed'.split(' ')

/** Runs, joined with their project. */
export const runs = createTable<Run>('run', { plain, elsewhere: { project } })

export const countedRuns = createTable<RunWithCounts>('run', {
  plain,
  json: 'pages',
  elsewhere: { project, pages: `json_object(${counts.map((name) => `'${name}', run.${name}`).join(', ')})` },
})
/** The counts as columns of the table, and as what `$pages` says of each. */
export const countNames = counts.join(', ')
export const countParameters = counts.map((name) => `$pages ->> '$.${name}'`).join(', ')

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
