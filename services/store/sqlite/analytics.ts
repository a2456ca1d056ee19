import type { AnalyticsEvent, AnalyticsStore } from '../analytics.ts'
import type { Connection } from './connection.ts'

export function createAnalytics(db: Connection): AnalyticsStore {
  return {
    record: async (events) => {
      await db.writeInBackground(() => {
        for (const event of events)
          db.run(
            `insert into analytics_event (project, uuid, team, kind, at, query, url, number)
           select id, ?, ?, ?, ?, ?, ?, ? from project where uuid = ? on conflict (uuid) do nothing`,
            event.uuid,
            event.team,
            event.kind,
            event.at,
            event.query,
            event.url,
            event.number,
            event.project,
          )
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
