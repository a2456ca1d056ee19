// Daily counts in two tables: a row a key and day, and a row a day with its sum. They change in the transaction of the rows
// that they count.
import { setImmediate } from 'node:timers/promises'
import {
  byCount,
  type CountedDays,
  type DayCount,
  type KeyCount,
  maxDayKeys,
  maxDayText,
} from '../day-counts.ts'
import { type Connection, quoted } from './connection.ts'

type ProjectId = string | number

interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Adds `change`, which may be negative, to each of the counts. Called inside a transaction. */
  add(project: ProjectId, day: string, counted: Iterable<readonly [Measure, string]>, change: number): void
}

/** Rows read in one step of the event loop: some milliseconds. */
const step = 5_000

/** `projectId` returns the project's id in these tables, undefined for an unknown project. */
export function createDayCounts<Measure extends string>(
  db: Connection,
  tables: { days: string; keys: string },
  projectId: (uuid: string) => ProjectId | undefined,
): DayCounter<Measure> {
  const ofDay = 'project = ? and day = ? and measure = ?'

  function hasRoom(place: (string | number)[], key: string): boolean {
    const day = db.get<{ keys: number; text: number }>(
      `select keys, text from ${tables.days} where ${ofDay}`,
      ...place,
    )
    return day === undefined || (day.keys < maxDayKeys && day.text + key.length <= maxDayText)
  }

  function addOne(place: (string | number)[], key: string, change: number): void {
    const isKnown =
      db.get(`select 1 from ${tables.keys} where ${ofDay} and key = ?`, ...place, key) !== undefined
    const counted = isKnown || (change > 0 && hasRoom(place, key)) ? key : ''
    db.run(
      `insert into ${tables.keys} (project, day, measure, key, count) values (?, ?, ?, ?, ?)
       on conflict do update set count = count + excluded.count`,
      ...[...place, counted, change],
    )
    const gone = db.run(
      `delete from ${tables.keys} where ${ofDay} and key = ? and count <= 0`,
      ...place,
      counted,
    )
    const keys = counted === '' ? 0 : Number(!isKnown) - gone
    db.run(
      `insert into ${tables.days} (project, day, measure, sum, keys, text) values (?, ?, ?, ?, ?, ?)
       on conflict do update set sum = sum + excluded.sum, keys = keys + excluded.keys, text = text + excluded.text`,
      ...[...place, change, keys, keys * counted.length],
    )
    if (change < 0) db.run(`delete from ${tables.days} where ${ofDay} and sum <= 0`, ...place)
  }

  return {
    add(project, day, counted, change) {
      for (const [measure, key] of counted) addOne([project, day, measure], key, change)
    },
    daily: async (uuid, { from, to }, measures) => {
      const project = projectId(uuid)
      if (project === undefined) return []
      const rows = db.all<DayCount<Measure>>(
        `select day, measure, sum, keys as "unique" from ${tables.days}
         where project = ? and day between ? and ? and measure in (${quoted(measures)}) order by day, measure`,
        ...[project, from, to],
      )
      return rows.map((row) => ({ ...row }))
    },
    keys: async (uuid, { from, to }, measure, limit) => {
      const project = projectId(uuid)
      let [unique, top]: [number, KeyCount[]] = [0, []]
      for (let after: string | undefined = ''; project !== undefined && after !== undefined; ) {
        const last: string | undefined = db.get<{ key: string }>(
          `select key from ${tables.keys} where project = ? and measure = ? and key > ? order by key, day limit 1 offset ?`,
          ...[project, measure, after, step],
        )?.key
        const rows = db.all<KeyCount & { size: number }>(
          `with part as materialized (
             select key, sum(count) as count from ${tables.keys}
             where project = ?1 and measure = ?2 and key > ?3 ${last === undefined ? '' : 'and key <= ?7'} and day between ?4 and ?5
             group by key)
           select key, count, (select count(*) from part) as size from part order by count desc, key limit ?6`,
          ...[project, measure, after, from, to, limit],
          ...(last === undefined ? [] : [last]),
        )
        unique += rows[0]?.size ?? 0
        top = [...top, ...rows.map(({ key, count }) => ({ key, count }))].sort(byCount).slice(0, limit)
        after = last
        await setImmediate()
      }
      return { unique, top }
    },
  }
}
