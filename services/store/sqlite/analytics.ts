import { type AnalyticsEvent, type AnalyticsStore, countedAs } from '../analytics.ts'
import type { Connection } from './connection.ts'
import { createDayCounts, type Place } from './day-counts.ts'
import { createTable, type Values } from './table.ts'

/** A project is named by its row id there. */
const stored = createTable<Omit<AnalyticsEvent, 'project'>>('event', {
  plain: 'uuid team kind at query url name number',
})
const insertion = `insert into analytics_event (project, ${stored.names}) values ($project, ${stored.parameters})
  on conflict (uuid) do nothing`

export function createAnalytics(db: Connection): AnalyticsStore {
  const idOf = (uuid: string) => db.get<{ id: number }>('select id from project where uuid = ?', uuid)?.id

  return {
    ...createDayCounts(db, {
      table: 'analytics_day',
      project: idOf,
      read: (project, day, after, limit) =>
        db.all<AnalyticsEvent & Place>(
          `select ${stored.columns}, event.uuid as id from analytics_event event
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
          db.run(insertion, { ...stored.values(event), project })
        }
      })
    },
    read: async (project, { from, to }, after, limit) =>
      db
        .all<Values<AnalyticsEvent>>(
          `select ${stored.columns} from analytics_event event
         where event.project = (select id from project where uuid = ?1) and event.at >= ?2 and event.at < ?3
           and (?4 is null or (event.at, event.uuid) > (select at, uuid from analytics_event where uuid = ?4))
         order by event.at, event.uuid limit ?5`,
          project,
          from,
          to,
          after,
          limit,
        )
        .map((row) => ({ ...stored.toRow(row), project })),
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
