import { type AnalyticsEvent, type AnalyticsStore, countedAs, type EventMeasure } from '../analytics.ts'
import type { Connection } from './connection.ts'
import { createDayCounts } from './day-counts.ts'
import { createTable, type Values } from './table.ts'

/** A project is named by its row id there. */
const stored = createTable<Omit<AnalyticsEvent, 'project'>>('event', {
  plain: 'uuid team kind at query url name number',
})
const insertion = `insert into analytics_event (project, ${stored.names}) values ($project, ${stored.parameters})
  on conflict (uuid) do nothing`

export function createAnalytics(db: Connection): AnalyticsStore {
  const idOf = (uuid: string) => db.get<{ id: number }>('select id from project where uuid = ?', uuid)?.id

  const tables = { days: 'analytics_day', keys: 'analytics_count' }
  const { add, ...counted } = createDayCounts<EventMeasure>(db, tables, idOf)

  return {
    ...counted,
    record: async (events) => {
      await db.writeInBackground(() => {
        for (const event of events) {
          const project = idOf(event.project)
          if (project === undefined) continue
          const isNew = db.run(insertion, { ...stored.values(event), project }) > 0
          if (isNew) add(project, dayOf(event), countedAs(event), 1)
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
      db.writeInBackground(() => {
        const id = idOf(project)
        if (id === undefined) return 0
        const first = 'where project = ? and at < ? order by at, uuid limit ?'
        const gone = db.all<Values<AnalyticsEvent>>(
          `select ${stored.columns} from analytics_event event ${first}`,
          ...[id, before, limit],
        )
        const find = `select uuid from analytics_event ${first}`
        db.run(`delete from analytics_event where uuid in (${find})`, id, before, limit)
        for (const row of gone) {
          const event = { ...stored.toRow(row), project }
          add(id, dayOf(event), countedAs(event), -1)
        }
        return gone.length
      }),
  }
}

const dayOf = ({ at }: AnalyticsEvent): string => at.slice(0, 10)
