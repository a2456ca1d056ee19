// Analytics events.
import {
  type AnalyticsEvent,
  type AnalyticsStore,
  countedAs,
  createDayCounts,
  type DayRows,
  type EventMeasure,
} from '../analytics.ts'
import type { MongoDb } from './connection.ts'
import { openProjects } from './project.ts'
import { insertMissing, toStored } from './row.ts'
import { createRows } from './rows.ts'

const batchSize = 1_000

export function createAnalytics(db: MongoDb, days: DayRows): AnalyticsStore {
  const { documents: events, ...rows } = createRows<AnalyticsEvent>(db, {
    name: 'analytics_event',
    isOfProject: true,
  })
  const { recount, ...counted } = createDayCounts<EventMeasure>(days, async function* (project, day) {
    const ofDay = events.find({ project, at: { $gte: day, $lt: `${day}~` } }).batchSize(batchSize)
    for await (const row of ofDay) yield countedAs(rows.toRow(row))
  })

  return {
    ...counted,
    record: async (wanted) => {
      const projects = wanted.map(({ project }) => project)
      const open = await openProjects(db, projects)
      for (const [project, recorded] of Map.groupBy(wanted, (event) => event.project)) {
        if (!open.has(project)) continue
        const times = recorded.map(({ at }) => at)
        await recount(project, times, () => insertMissing(events, recorded.map(toStored)))
      }
    },
    read: async (project, { from, to }, after, limit) => {
      const last = after === null ? null : await events.findOne({ _id: after })
      if (after !== null && last === null) return []
      const later =
        last === null ? {} : { $or: [{ at: { $gt: last.at } }, { at: last.at, _id: { $gt: last._id } }] }
      // Starts at the time of the last event: a server that uses the index on `at` only would scan from `from` each time.
      const since = last !== null && last.at > from ? last.at : from
      return rows.all({ project, at: { $gte: since, $lt: to }, ...later }, 'at uuid', { limit })
    },
    expire: async (project, before, limit) => {
      const old = await rows.all({ project, at: { $lt: before } }, 'at uuid', { limit })
      const uuids = old.map(({ uuid }) => uuid)
      const times = old.map(({ at }) => at)
      const erase = () => events.deleteMany({ _id: { $in: uuids } })
      return (await recount(project, times, erase)).deletedCount
    },
  }
}
