// A handle on a database file, with cached prepared statements and short write transactions. Rows are plain objects.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as after } from 'node:timers/promises'
import { backendAway, DomainError } from '../../errors.ts'

/** Increment with every incompatible change of the tables. */
const schemaVersion = 22

/** Values for each `?` in order, or an object with values for each `$name`, which may have additional names. */
type SqlValues = SQLInputValue[] | Record<string, SQLInputValue>

/** Statements throw DomainError(unavailable) if another handle writes for too long, or the disk is full or fails. */
export type Connection = ReturnType<typeof openConnection>

/**
 * Lets other writers begin. Call it between the short transactions of long work. SQLite retries a locked file after 1, 2, 5,
 * 10, … and at most 100 ms, so without a pause of 5 ms another writer could starve.
 */
export const yieldToWriters = (): Promise<void> => after(5)

/** Formats constants as a list in SQL. Not for user input. */
export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

/** Milliseconds that a statement blocks the thread to wait for another handle's transaction. */
const busyTimeout = 5_000
/** Milliseconds after which a background write fails. */
const backgroundTimeout = 30_000

/** SQLITE_BUSY: another handle is writing. */
const busy = 5
/** SQLITE_BUSY, SQLITE_IOERR and SQLITE_FULL: a retry may succeed. */
const retryable = [busy, 10, 13]

/** The primary code of an SQLite error; 0 for other errors. */
const toErrorCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) % 256

const toDomainError = (error: unknown): unknown =>
  retryable.includes(toErrorCode(error)) ? backendAway('store', error) : error

function translateErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toDomainError(error)
  }
}

/** Creates the tables in an empty file. Several threads may open the file concurrently. */
function prepareSchema(db: DatabaseSync, schema: string): void {
  const readVersion = () => (db.prepare('pragma user_version').get() as { user_version: number }).user_version
  if (readVersion() === schemaVersion) return
  db.exec('begin immediate')
  try {
    const version = readVersion()
    if (version === 0) db.exec(`${schema}; pragma user_version = ${schemaVersion}`)
    else if (version !== schemaVersion)
      throw new DomainError(
        'unavailable',
        `The database is at schema version ${version} and this Lectern uses version ${schemaVersion}: start the Lectern that wrote it.`,
      )
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}

interface Prepared {
  statement: StatementSync
  names: string[]
}

/** Converts an array to an object. node:sqlite's own objects have no prototype, and copying one takes three times as long. */
function toRow<Row>(names: string[], values: unknown): Row {
  const row: Record<string, unknown> = {}
  for (const [at, name] of names.entries()) row[name] = (values as unknown[])[at]
  return row as Row
}

/**
 * Opens the file, and creates it with the tables of `schema` if missing. Throws DomainError(unavailable) if the file has another
 * version of the schema.
 *
 * WAL: readers never wait for writers. synchronous NORMAL: commits survive a crash of the process. A power failure may lose
 * the last commits, but does not corrupt the file. FULL would require a disk flush per
 * commit.
 */
export function openConnection(file: string, schema: string) {
  const db = new DatabaseSync(file, { timeout: busyTimeout, enableForeignKeyConstraints: true })
  try {
    // 8 KiB pages: page contents have tens of kilobytes, and shorter overflow chains are faster.
    db.exec('pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal')
    db.exec('pragma cache_size = -16000; pragma journal_size_limit = 67108864; pragma temp_store = memory')
    prepareSchema(db, schema)
    // SQLite's `like` ignores case only for ASCII letters.
    const holds = (text: unknown, part: unknown) => Number(String(text).toLowerCase().includes(String(part)))
    db.function('holds', { deterministic: true }, holds)
  } catch (error) {
    db.close()
    throw error
  }
  const prepared = new Map<string, Prepared>()
  function prepare(sql: string): Prepared {
    const cached = prepared.get(sql)
    if (cached !== undefined) return cached
    const statement = db.prepare(sql)
    statement.setAllowUnknownNamedParameters(true)
    statement.setReturnArrays(true)
    const entry = { statement, names: statement.columns().map(({ name }) => name) }
    prepared.set(sql, entry)
    return entry
  }
  function write<T>(work: () => T): T {
    prepare('begin immediate').statement.run()
    try {
      const result = work()
      prepare('commit').statement.run()
      return result
    } catch (error) {
      if (db.isTransaction) prepare('rollback').statement.run()
      throw error
    }
  }
  function writeWithoutWaiting<T>(work: () => T): T {
    db.exec('pragma busy_timeout = 0')
    try {
      return write(work)
    } finally {
      db.exec(`pragma busy_timeout = ${busyTimeout}`)
    }
  }
  function execute<Result>(
    sql: string,
    values: SqlValues,
    work: (prepared: Prepared, values: SQLInputValue[]) => Result,
  ): Result {
    const list = Array.isArray(values) ? values : [values as unknown as SQLInputValue]
    return translateErrors(() => work(prepare(sql), list))
  }
  function all<Row>(sql: string, values: SqlValues = []): Row[] {
    return execute(sql, values, ({ statement, names }, list) =>
      statement.all(...list).map((row) => toRow<Row>(names, row)),
    )
  }
  return {
    all,
    /** The first row, or undefined. */
    get: <Row>(sql: string, values: SqlValues = []): Row | undefined =>
      execute(sql, values, ({ statement, names }, list) => {
        const row = statement.get(...list)
        return row && toRow<Row>(names, row)
      }),
    /** Executes `select count(*)`. `from`: the rest of the statement. */
    count: (from: string, values: SqlValues = []): number =>
      all<{ n: number }>(`select count(*) as n ${from}`, values)[0]!.n,
    /** Returns the number of changed rows, without those changed by triggers and cascades. */
    run: (sql: string, values: SqlValues = []): number =>
      execute(sql, values, ({ statement }, list) => Number(statement.run(...list).changes)),
    /** Runs `work` in a write transaction. Must not be nested. */
    write: <T>(work: () => T): T => translateErrors(() => write(work)),
    /**
     * `write` for background work. While another handle writes (a sync does for up to 300 ms), retries for at most 30 s without
     * blocking the thread.
     */
    writeInBackground: async <T>(work: () => T): Promise<T> => {
      for (const begun = performance.now(); ; await yieldToWriters()) {
        try {
          return writeWithoutWaiting(work)
        } catch (error) {
          if (toErrorCode(error) !== busy || performance.now() - begun > backgroundTimeout)
            throw toDomainError(error)
        }
      }
    },
    close: () => db.close(),
  }
}
