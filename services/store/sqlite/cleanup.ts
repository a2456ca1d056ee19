// Deletes the rows of deleted projects and sources and of ended runs, in the background and in short steps that do not delay other
// writers. The transaction that deletes or ends them records them in `remains`, so that the next process continues after a
// crash.
import type { SQLInputValue } from 'node:sqlite'
import { maxRuns, runsWithEvents } from '../run.ts'
import { type Connection, yieldToWriters } from './connection.ts'

export const cleanupSchema = `
-- Deleted projects and sources, and ended runs, whose rows in other tables are still to be deleted.
create table remains (
  kind text not null,
  owner integer not null,
  primary key (kind, owner)
) strict, without rowid;
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

type CleanupKind = 'run' | 'source' | 'project'

/** Deletes the events of runs that match the condition. */
const deleteEvents = (runs: string) =>
  `delete from run_event where (run, sequence) in (
     select run_event.run, run_event.sequence from run join run_event on run_event.run = run.id
     where ${runs} limit 500)`

/** All but the newest runs of the project of run `?`. */
const olderRuns = (newest: number) =>
  `run.id in (select id from run where project = (select project from run where id = ?)
     order by created_at desc, fence desc limit -1 offset ${newest})`

/** Executed in order. Each statement is repeated until it deletes nothing. */
const statements: Record<CleanupKind, string[]> = {
  run: [
    'delete from listing where id in (select id from listing where run = ? limit 500)',
    deleteEvents(olderRuns(runsWithEvents)),
    `delete from run where ${olderRuns(maxRuns)}`,
  ],
  source: [
    // Pages that no other source lists. A trigger queues their units for the sweep.
    `delete from page where id in (
       select page.id from page_source mine join page on page.id = mine.page
       where mine.source = ? and page.pinned = 0 and not exists (
         select 1 from page_source other join source on source.id = other.source where other.page = page.id)
       limit 100)`,
    'delete from page_source where (page, source) in (select page, source from page_source where source = ? limit 500)',
  ],
  project: [
    'delete from page where id in (select id from page where project = ? limit 100)',
    'delete from source where project = ?',
    'delete from address where id in (select id from address where project = ? limit 500)',
    `delete from listing where id in (
       select listing.id from run join listing on listing.run = run.id where run.project = ? limit 500)`,
    deleteEvents('run.project = ?'),
    'delete from run where project = ?',
    'delete from recrawl where project = ?',
    'delete from swept where id in (select id from swept where project = ? limit 500)',
    'delete from analytics_event where uuid in (select uuid from analytics_event where project = ? limit 500)',
    'delete from analytics_count where (project, measure, key, day) in (select project, measure, key, day from analytics_count where project = ? limit 500)',
    'delete from analytics_day where project = ?',
    'delete from term_list where project = ?',
  ],
}

export type Cleanup = ReturnType<typeof createCleanup>

export function createCleanup(db: Connection) {
  /** Records the owner of rows to delete. Call it in the transaction that deletes or ends the owner. Any handle deletes the rows. */
  function note(kind: CleanupKind, owner: number): void {
    db.run('insert or ignore into remains (kind, owner) values (?, ?)', [kind, owner])
  }
  return {
    note,
    /** Deletes a project or a source, and records it. Call it in a transaction. False if there is none. */
    delete(kind: 'source' | 'project', condition: string, values: SQLInputValue[]): boolean {
      const row = db.get<{ id: number }>(`delete from ${kind} where ${condition} returning id`, values)
      if (row !== undefined) note(kind, row.id)
      return row !== undefined
    },
    ...createCleanupWork(async (isStopped) => {
      while (!isStopped()) {
        const next = db.get<{ kind: CleanupKind; owner: number }>('select kind, owner from remains limit 1')
        if (next === undefined) return
        for (const sql of statements[next.kind])
          while (!isStopped() && db.write(() => db.run(sql, [next.owner])) > 0) await yieldToWriters()
        if (!isStopped()) db.run('delete from remains where kind = ? and owner = ?', [next.kind, next.owner])
      }
    }),
  }
}
