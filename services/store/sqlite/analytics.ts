import { type AnalyticsEvent, type AnalyticsStore, countedAs, type DayTally, dayOf } from '../analytics.ts'
import type { Connection } from './connection.ts'

export function createAnalytics(db: Connection): AnalyticsStore {
  /** Called in the transaction that writes or erases the event. */
  function tally(project: number, event: AnalyticsEvent, by: 1 | -1): void {
    for (const [measure, key] of countedAs(event)) {
      db.run(
        `insert into analytics_tally (project, day, measure, key, count) values (?, ?, ?, ?, ?)
         on conflict do update set count = count + excluded.count`,
        project,
        dayOf(event),
        measure,
        key,
        by,
      )
      if (by < 0)
        db.run(
          'delete from analytics_tally where project = ? and day = ? and measure = ? and key = ? and count = 0',
          project,
          dayOf(event),
          measure,
          key,
        )
    }
  }

  const idOf = (uuid: string) => db.get<{ id: number }>('select id from project where uuid = ?', uuid)?.id

  return {
    record: async (events) => {
      await db.writeInBackground(() => {
        for (const event of events) {
          const project = idOf(event.project)
          if (project === undefined) continue
          const isNew = db.run(
            `insert into analytics_event (project, uuid, team, kind, at, query, url, number)
             values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (uuid) do nothing`,
            project,
            event.uuid,
            event.team,
            event.kind,
            event.at,
            event.query,
            event.url,
            event.number,
          )
          if (isNew > 0) tally(project, event, 1)
        }
      })
    },
    read: async (project, { from, to }, after, limit) =>
      db
        .all<AnalyticsEvent>(
          `select event.uuid, event.team, ?1 as project, event.kind, event.at, event.query, event.url, event.number
         from analytics_event event
         where event.project = (select id from project where uuid = ?1) and event.at >= ?2 and event.at < ?3
           and (?4 is null or (event.at, event.uuid) > (select at, uuid from analytics_event where uuid = ?4))
         order by event.at, event.uuid limit ?5`,
          project,
          from,
          to,
          after,
          limit,
        )
        .map((row) => ({ ...row })),
    tallies: async (project, { from, to }) => {
      // A row a day and measure: a year of queries as rows of their own would take longer to hand over than to add up.
      const rows = db.all<{ day: string; measure: string; counts: string }>(
        `select day, measure, json_group_object(key, count) as counts from analytics_tally
         where project = (select id from project where uuid = ?) and day between ? and ?
         group by day, measure order by day, measure`,
        project,
        from,
        to,
      )
      return [...Map.groupBy(rows, ({ day }) => day)].map(
        ([day, ofDay]): DayTally => ({
          day,
          counts: Object.fromEntries(ofDay.map(({ measure, counts }) => [measure, JSON.parse(counts)])),
        }),
      )
    },
    expire: (project, before, limit) =>
      db.writeInBackground(() => {
        const id = idOf(project)
        if (id === undefined) return 0
        const gone = db.all<AnalyticsEvent>(
          `delete from analytics_event where uuid in (
             select uuid from analytics_event where project = ? and at < ? order by at, uuid limit ?)
           returning *`,
          id,
          before,
          limit,
        )
        for (const event of gone) tally(id, event, -1)
        return gone.length
      }),
  }
}
