// One handle on the database file: prepared statements by their text, and short write transactions.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as after } from 'node:timers/promises'
import { backendAway } from '../../errors.ts'
import { migrate, steps } from './schema/migrate.ts'

/** Those of `?` in their order, or one object with those of `$name`, which may hold more. */
type Values = SQLInputValue[] | [Record<string, SQLInputValue>]

/** While another handle writes for too long, or the disk is full or fails, statements throw DomainError(unavailable). */
export interface Connection {
  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: Values): Row | undefined
  all<Row>(sql: string, ...values: Values): Row[]
  /** Number of rows that changed, those of triggers and cascades left out. */
  run(sql: string, ...values: Values): number
  /** Inserts one row; answers its row id. */
  insert(sql: string, ...values: Values): number
  /** Runs `work` in one write transaction: all of it or nothing. Not nested. */
  write<T>(work: () => T): T
  /**
   * `write` for what nobody waits for: while another handle writes, which a sync does for 300 ms at a time, the thread goes
   * on and tries again. Gives up as `write` does, but after 30 s.
   */
  writeInBackground<T>(work: () => T): Promise<T>
  close(): void
}

/**
 * Milliseconds. A writer that finds the file locked looks again after 1, 2, 5, 10, … and at most 100 ms, so that a gap
 * must be long enough to be met: with none, it would give up after its 5 s.
 */
const gap = 5

/** Resolves when other writers have had time to begin: called between the short transactions of long work. */
export const yieldToWriters = (): Promise<void> => after(gap)

/** Words of ours as a list in SQL. */
export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

/** Milliseconds that a statement waits for another handle's transaction, and with it the thread. */
const busyTimeout = 5_000
/** Milliseconds that a write in the background goes on trying. */
const backgroundTimeout = 30_000

/** SQLITE_BUSY: another handle writes. */
const busy = 5
/** It, SQLITE_IOERR and SQLITE_FULL: what a later try may find otherwise. */
const retryable = [busy, 10, 13]

/** The error's code, without its particulars; 0 where it is none of SQLite's. */
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) % 256

const isBusy = (error: unknown): boolean => codeOf(error) === busy

function toAway(error: unknown): unknown {
  return retryable.includes(codeOf(error)) ? backendAway('store', error) : error
}

function orAway<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toAway(error)
  }
}

/**
 * Opens the file, made if missing, at the newest schema: what the steps of schema/migrate.ts lead to.
 *
 * WAL: readers never wait for the writer. synchronous NORMAL: a commit has been handed to the operating system, which
 * keeps it when the process is killed; only a power failure can lose the last commits, never the file's integrity. FULL
 * would cost a disk flush a commit.
 */
export function openConnection(file: string, to: readonly string[] = steps): Connection {
  const db = new DatabaseSync(file, { timeout: busyTimeout, enableForeignKeyConstraints: true })
  try {
    // 8 KiB pages: page contents are tens of kilobytes long, and shorter chains cost less.
    db.exec('pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal')
    db.exec('pragma cache_size = -16000; pragma journal_size_limit = 67108864; pragma temp_store = memory')
    migrate(db, to)
  } catch (error) {
    db.close()
    throw error
  }
  const prepared = new Map<string, StatementSync>()
  function statement(sql: string): StatementSync {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = db.prepare(sql)
    made.setAllowUnknownNamedParameters(true)
    prepared.set(sql, made)
    return made
  }
  function write<T>(work: () => T): T {
    statement('begin immediate').run()
    try {
      const result = work()
      statement('commit').run()
      return result
    } catch (error) {
      if (db.isTransaction) statement('rollback').run()
      throw error
    }
  }
  function writeAtOnce<T>(work: () => T): T {
    db.exec('pragma busy_timeout = 0')
    try {
      return write(work)
    } finally {
      db.exec(`pragma busy_timeout = ${busyTimeout}`)
    }
  }
  return {
    get: <Row>(sql: string, ...values: Values) =>
      orAway(() => statement(sql).get(...(values as SQLInputValue[])) as Row | undefined),
    all: <Row>(sql: string, ...values: Values) =>
      orAway(() => statement(sql).all(...(values as SQLInputValue[])) as Row[]),
    run: (sql, ...values) => orAway(() => Number(statement(sql).run(...(values as SQLInputValue[])).changes)),
    insert: (sql, ...values) =>
      orAway(() => Number(statement(sql).run(...(values as SQLInputValue[])).lastInsertRowid)),
    write: (work) => orAway(() => write(work)),
    writeInBackground: async (work) => {
      for (const begun = performance.now(); ; await yieldToWriters()) {
        try {
          return writeAtOnce(work)
        } catch (error) {
          if (!isBusy(error) || performance.now() - begun > backgroundTimeout) throw toAway(error)
        }
      }
    },
    close: () => db.close(),
  }
}
