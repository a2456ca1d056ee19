// What days add up to, in a table of its own: made by whoever reads a day first, and taken away by a trigger with any change
// of a row that is counted.
import { setImmediate } from 'node:timers/promises'
import {
  type CountedDays,
  createTally,
  type DayCounts,
  daysBetween,
  type PackedCounts,
  readKeys,
  unpack,
} from '../day-counts.ts'
import { type Connection, quoted } from './connection.ts'

type ProjectId = string | number

/** A row of those that are counted, by which reading goes on. */
export interface Place {
  at: string
  id: ProjectId
}

interface CountedRows<Row extends Place, Measure extends string> {
  /** Has the columns id, project, day, measure, sums and keys. */
  table: string
  /** As the table names the project; undefined where it is gone. */
  project(uuid: string): ProjectId | undefined
  /** Rows of a day by their place, from after one, at most `limit`. */
  read(project: ProjectId, day: string, after: Place, limit: number): Row[]
  countsAs(row: Row): Iterable<readonly [Measure, string]>
}

/** Rows read in one step of the event loop. */
const atOnce = 2_000
const first: Place = { at: '', id: '' }
/** In place of a measure: the day is being added up. It goes like all of the day with any change of a row. */
const mark = ''

export function createDayCounts<Row extends Place, Measure extends string>(
  db: Connection,
  { table, project: idOf, read, countsAs }: CountedRows<Row, Measure>,
): CountedDays<Measure> {
  const write = (project: ProjectId, day: string, measure: string, sums: Uint8Array, keys: string): number =>
    db.insert(
      `insert or replace into ${table} (project, day, measure, sums, keys) values (?, ?, ?, ?, ?)`,
      ...[project, day, measure, sums, keys],
    )

  /** What is added up while rows change is told, and not kept. */
  async function addUp(project: ProjectId, day: string): Promise<Map<Measure, PackedCounts>> {
    const tally = createTally<Measure>()
    if (read(project, day, first, 1).length === 0) return tally.pack()
    const marked = await db.writeInBackground(() => write(project, day, mark, new Uint8Array(), '[]'))
    for (let after = first, rows: Row[] | null = null; rows === null || rows.length === atOnce; ) {
      rows = read(project, day, after, atOnce)
      tally.add(rows.flatMap((row) => [...countsAs(row)]))
      after = rows.at(-1) ?? after
      await setImmediate()
    }
    const packed = tally.pack()
    await db.writeInBackground(() => {
      if (db.run(`delete from ${table} where id = ?`, marked) === 0) return
      for (const [measure, { sums, keys }] of packed) write(project, day, measure, sums, keys)
    })
    return packed
  }

  async function keysOf(project: ProjectId, day: string, measure: Measure) {
    const ofDay = `from ${table} where project = ? and day = ?`
    const kept = db.get<{ least: string | null }>(`select min(measure) as least ${ofDay}`, project, day)
    if (kept?.least === null || kept?.least === mark) return (await addUp(project, day)).get(measure)
    return db.get<PackedCounts>(`select sums, keys ${ofDay} and measure = ?`, project, day, measure)
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
        const known = kept.get(day) ?? []
        if (known.length > 0 && known[0]!.measure !== mark) {
          for (const { measure, sums } of known) if (sums) found.push(unpack(day, measure, sums))
          continue
        }
        const made = await addUp(project, day)
        for (const measure of measures.toSorted()) {
          const packed = made.get(measure)
          if (packed) found.push(unpack(day, measure, packed.sums))
        }
      }
      return found
    },
    countedKeys: async (uuid, days, measure) => {
      const project = idOf(uuid)
      const found = new Map<number, string>()
      if (project === undefined) return found
      for (const day of days) {
        const packed = await keysOf(project, day, measure)
        if (packed) for (const [hash, key] of readKeys(packed)) found.set(hash, key)
      }
      return found
    },
  }
}
