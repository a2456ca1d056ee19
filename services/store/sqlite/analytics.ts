// Analytics events, and daily counts of events and of chat messages.
import { setImmediate } from 'node:timers/promises'
import {
  type AnalyticsEvent,
  type AnalyticsStore,
  byCount,
  type CountedDays,
  countedAs,
  type DayCount,
  type EventMeasure,
  type KeyCount,
  maxDayKeys,
  maxDayText,
} from '../analytics.ts'
import { type Connection, quoted } from './connection.ts'
import { findProject } from './project.ts'
import { createTable, readAll } from './table.ts'

/**
 * Tables of daily counts. `keys` in the table of days is the number of different keys other than '', `text` the number of
 * their characters.
 */
export const countTables = (name: string, project: 'integer' | 'text') => `
create table ${name}_count (
  project ${project} not null,
  measure text not null,
  key text not null,
  day text not null,
  count integer not null,
  primary key (project, measure, key, day)
) strict, without rowid;
create table ${name}_day (
  project ${project} not null,
  day text not null,
  measure text not null,
  sum integer not null,
  keys integer not null,
  text integer not null,
  primary key (project, day, measure)
) strict, without rowid;
`

type ProjectId = string | number

interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Adds `change`, which may be negative, to each of the counts. Called inside a transaction. */
  add(project: ProjectId, day: string, counted: Iterable<readonly [Measure, string]>, change: number): void
}

/** Rows read in one step of the event loop, which takes some milliseconds. */
const step = 5_000

/**
 * Daily counts in the tables `{name}_count` and `{name}_day`. They change in the transaction of the rows that they count.
 * `projectId` returns the project's id in these tables, undefined for an unknown project.
 */
export function createDayCounts<Measure extends string>(
  db: Connection,
  name: string,
  projectId: (uuid: string) => ProjectId | undefined,
): DayCounter<Measure> {
  const ofDay = 'project = ? and day = ? and measure = ?'

  function hasRoom(place: (string | number)[], key: string): boolean {
    const day = db.get<{ keys: number; text: number }>(
      `select keys, text from ${name}_day where ${ofDay}`,
      ...place,
    )
    return day === undefined || (day.keys < maxDayKeys && day.text + key.length <= maxDayText)
  }

  function addOne(place: (string | number)[], key: string, change: number): void {
    const isKnown =
      db.get(`select 1 from ${name}_count where ${ofDay} and key = ?`, ...place, key) !== undefined
    const counted = isKnown || (change > 0 && hasRoom(place, key)) ? key : ''
    db.run(
      `insert into ${name}_count (project, day, measure, key, count) values (?, ?, ?, ?, ?)
       on conflict do update set count = count + excluded.count`,
      ...[...place, counted, change],
    )
    const gone = db.run(
      `delete from ${name}_count where ${ofDay} and key = ? and count <= 0`,
      ...place,
      counted,
    )
    const keys = counted === '' ? 0 : Number(!isKnown) - gone
    db.run(
      `insert into ${name}_day (project, day, measure, sum, keys, text) values (?, ?, ?, ?, ?, ?)
       on conflict do update set sum = sum + excluded.sum, keys = keys + excluded.keys, text = text + excluded.text`,
      ...[...place, change, keys, keys * counted.length],
    )
    if (change < 0) db.run(`delete from ${name}_day where ${ofDay} and sum <= 0`, ...place)
  }

  return {
    add(project, day, counted, change) {
      for (const [measure, key] of counted) addOne([project, day, measure], key, change)
    },
    daily: async (uuid, { from, to }, measures) => {
      const project = projectId(uuid)
      if (project === undefined) return []
      const rows = db.all<DayCount<Measure>>(
        `select day, measure, sum, keys as "unique" from ${name}_day
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
          `select key from ${name}_count where project = ? and measure = ? and key > ? order by key, day limit 1 offset ?`,
          ...[project, measure, after, step],
        )?.key
        const rows = db.all<KeyCount & { size: number }>(
          `with part as materialized (
             select key, sum(count) as count from ${name}_count
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

/** Without its project, which is a row id in the table. */
const events = createTable<Omit<AnalyticsEvent, 'project'>>('analytics_event', {
  plain: 'uuid team kind at query url name number',
})

export function createAnalytics(db: Connection): AnalyticsStore {
  const { add, ...counted } = createDayCounts<EventMeasure>(db, 'analytics', (uuid) => findProject(db, uuid))

  return {
    ...counted,
    record: async (recorded) => {
      const insertion = `insert into analytics_event (project, ${events.names}) values ($project, ${events.parameters})
        on conflict (uuid) do nothing`
      await db.writeInBackground(() => {
        for (const event of recorded) {
          const project = findProject(db, event.project)
          if (project === undefined) continue
          const isNew = db.run(insertion, { ...events.values(event), project }) > 0
          if (isNew) add(project, event.at.slice(0, 10), countedAs(event), 1)
        }
      })
    },
    read: async (project, { from, to }, after, limit) => {
      const range = `from analytics_event where project = (select id from project where uuid = ?1) and at >= ?2 and at < ?3
        and (?4 is null or (at, uuid) > (select at, uuid from analytics_event where uuid = ?4))
        order by at, uuid limit ?5`
      return readAll(db, events, range, project, from, to, after, limit).map((row) => ({ ...row, project }))
    },
    expire: (uuid, before, limit) =>
      db.writeInBackground(() => {
        const project = findProject(db, uuid)
        if (project === undefined) return 0
        const oldest = 'from analytics_event where project = ? and at < ? order by at, uuid limit ?'
        const gone = readAll(db, events, oldest, project, before, limit)
        for (const event of gone) {
          db.run('delete from analytics_event where uuid = ?', event.uuid)
          add(project, event.at.slice(0, 10), countedAs(event), -1)
        }
        return gone.length
      }),
  }
}
