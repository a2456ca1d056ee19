// Analytics events and their daily counts.
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
import { createRows, createTable } from './table.ts'

/**
 * Tables of daily counts. In the table of days, `keys` is the number of distinct keys other than '', and `text` their total
 * characters.
 */
const countSchema = `
create table analytics_count (
  project integer not null,
  measure text not null,
  key text not null,
  day text not null,
  count integer not null,
  primary key (project, measure, key, day)
) strict, without rowid;
create table analytics_day (
  project integer not null,
  day text not null,
  measure text not null,
  sum integer not null,
  keys integer not null,
  text integer not null,
  primary key (project, day, measure)
) strict, without rowid;
`

/** Rows read before yielding to the event loop: a few milliseconds of work. */
const step = 5_000

/** Sorts after all keys. */
const lastKey = '\u{10ffff}'

/** Daily counts, updated in the same transaction as the counted events: a day may have a million. */
function createDayCounts(db: Connection) {
  const ofDay = 'project = $project and day = $day and measure = $measure'

  function addOne(day: { project: number; day: string; measure: EventMeasure }, key: string, change: number) {
    const { isKnown, hasRoom } = db.get<{ isKnown: number; hasRoom: number | null }>(
      `select exists (select 1 from analytics_count where ${ofDay} and key = $key) as isKnown,
         (select keys < ${maxDayKeys} and text + $length <= ${maxDayText} from analytics_day where ${ofDay}) as hasRoom`,
      { ...day, key, length: key.length },
    )!
    const values = { ...day, key: isKnown || (change > 0 && hasRoom !== 0) ? key : '', change }
    db.run(
      `insert into analytics_count (project, day, measure, key, count) values ($project, $day, $measure, $key, $change)
       on conflict do update set count = count + excluded.count`,
      values,
    )
    const gone = db.run(`delete from analytics_count where ${ofDay} and key = $key and count <= 0`, values)
    const keys = values.key === '' ? 0 : Number(!isKnown) - gone
    db.run(
      `insert into analytics_day (project, day, measure, sum, keys, text) values ($project, $day, $measure, $change, $keys, $text)
       on conflict do update set sum = sum + excluded.sum, keys = keys + excluded.keys, text = text + excluded.text`,
      { ...values, keys, text: keys * values.key.length },
    )
    if (change < 0) db.run(`delete from analytics_day where ${ofDay} and sum <= 0`, day)
  }

  const counted: CountedDays<EventMeasure> = {
    daily: async (uuid, { from, to }, measures) => {
      const project = findProject(db, uuid)
      if (project === undefined) return []
      return db.all<DayCount<EventMeasure>>(
        `select day, measure, sum, keys as "unique" from analytics_day
         where project = ? and day between ? and ? and measure in (${quoted(measures)}) order by day, measure`,
        [project, from, to],
      )
    },
    keys: async (uuid, { from, to }, measure, limit) => {
      const project = findProject(db, uuid)
      let [unique, top]: [number, KeyCount[]] = [0, []]
      for (let after = ''; project !== undefined && after !== lastKey; await setImmediate()) {
        const last =
          db.get<{ key: string }>(
            `select key from analytics_count where project = ? and measure = ? and key > ? order by key, day limit 1 offset ?`,
            [project, measure, after, step],
          )?.key ?? lastKey
        const rows = db.all<KeyCount & { size: number }>(
          `with part as materialized (
             select key, sum(count) as count from analytics_count
             where project = ?1 and measure = ?2 and key > ?3 and key <= ?4 and day between ?5 and ?6
             group by key)
           select key, count, (select count(*) from part) as size from part order by count desc, key limit ?7`,
          [project, measure, after, last, from, to, limit],
        )
        unique += rows[0]?.size ?? 0
        top = [...top, ...rows.map(({ key, count }) => ({ key, count }))].sort(byCount).slice(0, limit)
        after = last
      }
      return { unique, top }
    },
  }
  return {
    ...counted,
    /** Adds `change`, 1 or -1, to the counts of the event. Call it in a transaction. */
    add(project: number, event: Omit<AnalyticsEvent, 'project'>, change: number): void {
      const day = event.at.slice(0, 10)
      for (const [measure, key] of countedAs(event)) addOne({ project, day, measure }, key, change)
    },
  }
}

/** The table has the project's row id instead of its UUID. */
const eventTable = createTable<Omit<AnalyticsEvent, 'project'>>(
  {
    name: 'analytics_event',
    fields: 'uuid kind at query? url? name? number:int?',
    indexes: ['project at uuid'],
  },
  ['project integer not null'],
)

export const analyticsSchema = `
${eventTable.sql}
${countSchema}`

export function createAnalytics(db: Connection): AnalyticsStore {
  const { add, ...counted } = createDayCounts(db)
  const events = createRows(db, eventTable)

  return {
    ...counted,
    record: async (recorded) => {
      const insertion = `insert into analytics_event (project, ${eventTable.names}) values ($project, ${eventTable.parameters})
        on conflict (uuid) do nothing`
      await db.writeInBackground(() => {
        for (const event of recorded) {
          const project = findProject(db, event.project)
          if (project === undefined) continue
          const isNew = db.run(insertion, { ...eventTable.values(event), project }) > 0
          if (isNew) add(project, event, 1)
        }
      })
    },
    read: async (project, { from, to }, after, limit) => {
      const rows = db.all<Omit<AnalyticsEvent, 'project'>>(
        `select ${eventTable.columns} ${eventTable.from}
         where project = (select id from project where uuid = ?1) and at >= ?2 and at < ?3
           and (?4 is null or (at, uuid) > (select at, uuid from analytics_event where uuid = ?4))
         order by at, uuid limit ?5`,
        [project, from, to, after, limit],
      )
      return rows.map((row) => ({ ...row, project }))
    },
    expire: (uuid, before, limit) =>
      db.writeInBackground(() => {
        const project = findProject(db, uuid)
        if (project === undefined) return 0
        const old = events.all({ project, at: { $lt: before } }, 'at uuid', { limit })
        for (const event of old) {
          db.run('delete from analytics_event where uuid = ?', [event.uuid])
          add(project, event, -1)
        }
        return old.length
      }),
  }
}
