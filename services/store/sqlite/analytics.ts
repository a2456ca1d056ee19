// Analytics events, and daily counts of events and chat messages.
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
export const createCountSchema = (name: string, project: 'integer' | 'text') => `
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
  /** Adds `change`, which may be negative, to each count. Call it in a transaction. */
  add(project: ProjectId, day: string, counted: Iterable<readonly [Measure, string]>, change: number): void
}

/** Rows read before yielding to the event loop: a few milliseconds of work. */
const step = 5_000

/** Sorts after all keys. */
const lastKey = '\u{10ffff}'

/**
 * Daily counts in the tables `{name}_count` and `{name}_day`, updated in the same transaction as the counted rows. `projectId`
 * returns the project's id in these tables; undefined for an unknown project.
 */
export function createDayCounts<Measure extends string>(
  db: Connection,
  name: string,
  projectId: (uuid: string) => ProjectId | undefined,
): DayCounter<Measure> {
  const ofDay = 'project = $project and day = $day and measure = $measure'

  function addOne(day: { project: ProjectId; day: string; measure: Measure }, key: string, change: number) {
    const { isKnown, hasRoom } = db.get<{ isKnown: number; hasRoom: number | null }>(
      `select exists (select 1 from ${name}_count where ${ofDay} and key = $key) as isKnown,
         (select keys < ${maxDayKeys} and text + $length <= ${maxDayText} from ${name}_day where ${ofDay}) as hasRoom`,
      { ...day, key, length: key.length },
    )!
    const values = { ...day, key: isKnown || (change > 0 && hasRoom !== 0) ? key : '', change }
    db.run(
      `insert into ${name}_count (project, day, measure, key, count) values ($project, $day, $measure, $key, $change)
       on conflict do update set count = count + excluded.count`,
      values,
    )
    const gone = db.run(`delete from ${name}_count where ${ofDay} and key = $key and count <= 0`, values)
    const keys = values.key === '' ? 0 : Number(!isKnown) - gone
    db.run(
      `insert into ${name}_day (project, day, measure, sum, keys, text) values ($project, $day, $measure, $change, $keys, $text)
       on conflict do update set sum = sum + excluded.sum, keys = keys + excluded.keys, text = text + excluded.text`,
      { ...values, keys, text: keys * values.key.length },
    )
    if (change < 0) db.run(`delete from ${name}_day where ${ofDay} and sum <= 0`, day)
  }

  return {
    add(project, day, counted, change) {
      for (const [measure, key] of counted) addOne({ project, day, measure }, key, change)
    },
    daily: async (uuid, { from, to }, measures) => {
      const project = projectId(uuid)
      if (project === undefined) return []
      return db.all<DayCount<Measure>>(
        `select day, measure, sum, keys as "unique" from ${name}_day
         where project = ? and day between ? and ? and measure in (${quoted(measures)}) order by day, measure`,
        [project, from, to],
      )
    },
    keys: async (uuid, { from, to }, measure, limit) => {
      const project = projectId(uuid)
      let [unique, top]: [number, KeyCount[]] = [0, []]
      for (let after = ''; project !== undefined && after !== lastKey; await setImmediate()) {
        const last =
          db.get<{ key: string }>(
            `select key from ${name}_count where project = ? and measure = ? and key > ? order by key, day limit 1 offset ?`,
            [project, measure, after, step],
          )?.key ?? lastKey
        const rows = db.all<KeyCount & { size: number }>(
          `with part as materialized (
             select key, sum(count) as count from ${name}_count
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
}

/** The table has the project's row id instead of its UUID. */
const eventTable = createTable<Omit<AnalyticsEvent, 'project'>>(
  {
    name: 'analytics_event',
    fields: 'uuid kind at query? url? name? number:int?',
    indexes: ['project at uuid'],
  },
  { extra: ['project integer not null'] },
)

export const analyticsSchema = `
${eventTable.sql}
${createCountSchema('analytics', 'integer')}`

export function createAnalytics(db: Connection): AnalyticsStore {
  const { add, ...counted } = createDayCounts<EventMeasure>(db, 'analytics', (uuid) => findProject(db, uuid))
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
          if (isNew) add(project, event.at.slice(0, 10), countedAs(event), 1)
        }
      })
    },
    read: async (project, { from, to }, after, limit) => {
      const range = `where project = (select id from project where uuid = ?1) and at >= ?2 and at < ?3
        and (?4 is null or (at, uuid) > (select at, uuid from analytics_event where uuid = ?4))
        order by at, uuid limit ?5`
      return events.select(range, [project, from, to, after, limit]).map((row) => ({ ...row, project }))
    },
    expire: (uuid, before, limit) =>
      db.writeInBackground(() => {
        const project = findProject(db, uuid)
        if (project === undefined) return 0
        const old = events.all({ project, at: { $lt: before } }, 'at uuid', { limit })
        for (const event of old) {
          db.run('delete from analytics_event where uuid = ?', [event.uuid])
          add(project, event.at.slice(0, 10), countedAs(event), -1)
        }
        return old.length
      }),
  }
}
