// What days add up to, in a table of its own: made by whoever reads a day first, and taken away by a trigger with any change
// of a row that is counted.
import { setImmediate } from 'node:timers/promises'
import {
  type CountedDays,
  type DayCounts,
  daysBetween,
  type PackedCounts,
  packDay,
  readKeys,
  unpack,
} from '../day-counts.ts'
import { type Connection, quoted } from './connection.ts'

export interface CountedRows<Measure extends string> {
  /** Has the columns project, day, measure, sums and keys. */
  table: string
  /** As the table names the project; undefined where it is gone. */
  project(uuid: string): string | number | undefined
  isEmpty(project: string | number, day: string): boolean
  /** What the rows of a day count as. */
  read(project: string | number, day: string): Iterable<readonly [Measure, string]>
}

export function createDayCounts<Measure extends string>(
  db: Connection,
  { table, project: idOf, isEmpty, read }: CountedRows<Measure>,
): CountedDays<Measure> {
  async function addUp(
    project: string | number,
    day: string,
    measures: readonly Measure[],
  ): Promise<DayCounts<Measure>[]> {
    if (isEmpty(project, day)) return []
    const made = await db.writeInBackground(() => {
      const packed = packDay(read(project, day))
      for (const [measure, { sums, keys }] of packed)
        db.run(
          `insert or replace into ${table} (project, day, measure, sums, keys) values (?, ?, ?, ?, ?)`,
          ...[project, day, measure, sums, keys],
        )
      return packed
    })
    // Whoever asks for a year that nobody has asked for before does not hold up the others.
    await setImmediate()
    return [...made.keys()]
      .filter((measure) => measures.includes(measure))
      .sort()
      .map((measure) => unpack(day, measure, made.get(measure)!.sums))
  }

  return {
    counts: async (uuid, range, measures) => {
      const project = idOf(uuid)
      if (project === undefined) return []
      const rows = db.all<{ day: string; measure: Measure; sums: Uint8Array | null }>(
        `select day, measure, case when measure in (${quoted(measures)}) then sums end as sums from ${table}
         where project = ? and day between ? and ? order by day, measure`,
        ...[project, range.from, range.to],
      )
      const kept = Map.groupBy(rows, ({ day }) => day)
      const found: DayCounts<Measure>[] = []
      for (const day of daysBetween(range)) {
        const known = kept
          .get(day)
          ?.flatMap(({ measure, sums }) => (sums ? [unpack(day, measure, sums)] : []))
        found.push(...(known ?? (await addUp(project, day, measures))))
      }
      return found
    },
    countedKeys: async (uuid, days, measure) => {
      const project = idOf(uuid)
      const found = new Map<number, string>()
      if (project === undefined) return found
      for (const day of days) {
        const isKept = db.get(`select 1 from ${table} where project = ? and day = ?`, project, day)
        if (!isKept) await addUp(project, day, [])
        const sql = `select sums, keys from ${table} where project = ? and day = ? and measure = ?`
        const row = db.get<PackedCounts>(sql, project, day, measure)
        if (row) for (const [hash, key] of readKeys(row)) found.set(hash, key)
      }
      return found
    },
  }
}
