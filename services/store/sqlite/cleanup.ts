// Deletes the rows of deleted projects and of ended runs, in the background and in short steps that do not delay other writers.
// The transaction that deletes a project records it in `removed_project`, so that the next process continues after a crash.
import type { createClearing } from '../nouns.ts'
import { type Connection, yieldToWriters } from './connection.ts'

export const cleanupSchema = `
-- Deleted projects whose rows in other tables are still to be deleted.
create table removed_project (
  id integer primary key,
  uuid text not null
) strict;
`

export type CleanupWork = ReturnType<typeof createCleanupWork>

/** `work` deletes all remaining rows, with pauses for other writers. It has to check `isStopped` before each step. */
export function createCleanupWork(work: (isStopped: () => boolean) => Promise<void>) {
  let stopped = false
  const run = () => work(() => stopped)
  return {
    run,
    schedule: () => {
      // After a failure, the next cleanup continues.
      yieldToWriters()
        .then(run)
        .catch(() => {})
    },
    stop: () => {
      stopped = true
    },
  }
}

/** Deletes a project, and records it. */
export function deleteProject(db: Connection, uuid: string): boolean {
  return db.write(() => {
    const project = db.get<{ id: number }>('delete from project where uuid = ? returning id', [uuid])
    if (project !== undefined)
      db.run('insert into removed_project (id, uuid) values (?, ?)', [project.id, uuid])
    return project !== undefined
  })
}

const ofRuns = '(select uuid from run where project = $uuid)'

/** Executed in order. Each statement is repeated until it deletes nothing. */
const statements = [
  `delete from listing where rowid in (select rowid from listing where run in ${ofRuns} limit 500)`,
  `delete from run_event where rowid in (select rowid from run_event where run in ${ofRuns} limit 500)`,
  'delete from page where rowid in (select rowid from page where project = $uuid limit 100)',
  'delete from address where rowid in (select rowid from address where project = $uuid limit 500)',
  'delete from run where project = $uuid',
  'delete from swept_version where rowid in (select rowid from swept_version where project = $uuid limit 500)',
  'delete from source where project = $id',
  'delete from recrawl where project = $id',
  'delete from analytics_event where uuid in (select uuid from analytics_event where project = $id limit 500)',
  'delete from analytics_count where (project, measure, key, day) in (select project, measure, key, day from analytics_count where project = $id limit 500)',
  'delete from analytics_day where project = $id',
  'delete from term_list where project = $id',
]

export function createCleanup(
  db: Connection,
  { clearEndedRuns, clearDeletedSources }: ReturnType<typeof createClearing>,
): CleanupWork {
  return createCleanupWork(async (isStopped) => {
    for (const { uuid } of db.all<{ uuid: string }>("select uuid from project where deleted_sources <> '[]'"))
      if (!isStopped()) await clearDeletedSources(uuid)
    await clearEndedRuns(isStopped)
    while (!isStopped()) {
      const next = db.get<{ id: number; uuid: string }>('select id, uuid from removed_project limit 1')
      if (next === undefined) return
      for (const sql of statements) while (!isStopped() && db.run(sql, next) > 0) await yieldToWriters()
      if (!isStopped()) db.run('delete from removed_project where id = ?', [next.id])
    }
  })
}
