import { type AnalyticsEvent, type AnalyticsStore, countedAs } from '../analytics.ts'
import type { Connection } from './connection.ts'
import { createDayCounts, type Place } from './day-counts.ts'

const columns =
  'event.uuid, event.team, event.kind, event.at, event.query, event.url, event.name, event.number'

export function createAnalytics(db: Connection): AnalyticsStore {
  const idOf = (uuid: string) => db.get<{ id: number }>('select id from project where uuid = ?', uuid)?.id

  return {
    ...createDayCounts(db, {
      table: 'analytics_day',
      project: idOf,
      read: (project, day, after, limit) =>
        db.all<AnalyticsEvent & Place>(
          `select ${columns}, event.uuid as id from analytics_event event
           where event.project = ?1 and event.at >= ?2 and event.at < ?2 || '~' and (event.at, event.uuid) > (?3, ?4)
           order by event.at, event.uuid limit ?5`,
          ...[project, day, after.at, after.id, limit],
        ),
      countsAs: (event) => countedAs(event),
    }),
    record: async (events) => {
      await db.writeInBackground(() => {
        for (const event of events) {
          const project = idOf(event.project)
          if (project === undefined) continue
          db.run(
            `insert into analytics_event (project, uuid, team, kind, at, query, url, name, number)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (uuid) do nothing`,
            project,
            event.uuid,
            event.team,
            event.kind,
            event.at,
            event.query,
            event.url,
            event.name,
            event.number,
          )
        }
      })
    },
    read: async (project, { from, to }, after, limit) =>
      db
        .all<AnalyticsEvent>(
          `select ${columns}, ?1 as project
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
    expire: (project, before, limit) =>
      db.writeInBackground(() =>
        db.run(
          `delete from analytics_event where uuid in (
             select uuid from analytics_event
             where project = (select id from project where uuid = ?) and at < ? order by at, uuid limit ?)`,
          project,
          before,
          limit,
        ),
      ),
  }
}
