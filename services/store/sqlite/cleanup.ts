// Deletes the rows that a deleted project or source or an ended run leaves behind, in the background and in steps short enough
// not to delay other writers. The transaction that deletes or ends notes them in `remains`, so that the next process
// continues after a kill.
import { maxRuns, runsWithEvents } from '../run.ts'
import { type Connection, yieldToWriters } from './connection.ts'

export interface CleanupWork {
  /** Deletes everything that is left now, with pauses for other writers. */
  run(): Promise<void>
  /** Runs later. */
  schedule(): void
  stop(): void
}

/** `work` calls `isStopped` before each of its steps. */
export function createCleanupWork(work: (isStopped: () => boolean) => Promise<void>): CleanupWork {
  let stopped = false
  const run = () => work(() => stopped)
  return {
    run,
    schedule: () => {
      // After a failure, the next cleanup or the next start deletes the rest.
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

/** In order; each statement is repeated until it deletes nothing. */
const statements: Record<CleanupKind, string[]> = {
  run: [
    'delete from frontier where id in (select id from frontier where run = ? limit 500)',
    'delete from walk where run = ?',
    `delete from run_event where (run, sequence) in (
       select run_event.run, run_event.sequence from run join run_event on run_event.run = run.id
       where run.id in (
         select id from run where project = (select project from run where id = ?)
         order by created_at desc, fence desc limit -1 offset ${runsWithEvents})
       limit 500)`,
    `delete from run where id in (
       select id from run where project = (select project from run where id = ?)
       order by created_at desc, fence desc limit -1 offset ${maxRuns})`,
  ],
  source: [
    // Pages that no other source lists; a trigger queues their units for the sweep.
    `delete from page where id in (
       select page.id from page_source mine join page on page.id = mine.page
       where mine.source = ? and page.pinned = 0 and not exists (
         select 1 from page_source other join source on source.id = other.source where other.page = page.id)
       limit 100)`,
    `delete from page_source where (page, source) in (
       select page, source from page_source where source = ? limit 500)`,
  ],
  project: [
    'delete from page where id in (select id from page where project = ? limit 100)',
    'delete from source where project = ?',
    `delete from frontier where id in (
       select frontier.id from run join frontier on frontier.run = run.id where run.project = ? limit 500)`,
    `delete from run_event where (run, sequence) in (
       select run_event.run, run_event.sequence from run join run_event on run_event.run = run.id
       where run.project = ? limit 500)`,
    'delete from walk where run in (select id from run where project = ?)',
    'delete from run where project = ?',
    'delete from recrawl where project = ?',
    'delete from swept where id in (select id from swept where project = ? limit 500)',
    'delete from analytics_event where uuid in (select uuid from analytics_event where project = ? limit 500)',
    'delete from analytics_count where (project, measure, key, day) in (select project, measure, key, day from analytics_count where project = ? limit 500)',
    'delete from analytics_day where project = ?',
    'delete from vocabulary where project = ?',
  ],
}

export interface Cleanup extends CleanupWork {
  /** Called inside the transaction that deletes or ends the owner. Any handle deletes what it leaves. */
  note(kind: CleanupKind, owner: number): void
}

export function createCleanup(db: Connection): Cleanup {
  return {
    note: (kind, owner) => {
      db.run('insert or ignore into remains (kind, owner) values (?, ?)', kind, owner)
    },
    ...createCleanupWork(async (isStopped) => {
      for (;;) {
        if (isStopped()) return
        const next = db.get<{ kind: CleanupKind; owner: number }>('select kind, owner from remains limit 1')
        if (next === undefined) return
        for (const sql of statements[next.kind])
          while (!isStopped() && db.write(() => db.run(sql, next.owner)) > 0) await yieldToWriters()
        if (isStopped()) return
        db.run('delete from remains where kind = ? and owner = ?', next.kind, next.owner)
      }
    }),
  }
}
