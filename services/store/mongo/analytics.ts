import { type AnalyticsEvent, type AnalyticsStore, countedAs, type EventMeasure } from '../analytics.ts'
import type { MongoDb } from './connection.ts'
import { createDayCounts } from './day-counts.ts'
import { openProject, openProjects } from './project-row.ts'
import { fromStored, insertMissing, type Stored, toStored } from './row.ts'

type EventRow = Stored<AnalyticsEvent>

/** Rows read in one step of the event loop. */
const readAtOnce = 1_000

export function createAnalytics(db: MongoDb): AnalyticsStore {
  const events = db.collection<EventRow>('analytics_events')
  const { changing, ...counted } = createDayCounts<EventMeasure>(
    db,
    'analytics_days',
    async function* (project, day) {
      const ofDay = events.find({ project, at: { $gte: day, $lt: `${day}~` } }).batchSize(readAtOnce)
      for await (const row of ofDay) yield countedAs(fromStored<AnalyticsEvent>(row))
    },
  )

  return {
    ...counted,
    record: async (wanted) => {
      const open = await openProjects(db, [...new Set(wanted.map((event) => event.project))])
      const rows = wanted.filter((event) => open.has(event.project)).map(toStored)
      await changing(rows, () => insertMissing(events, rows))
    },
    read: async (project, { from, to }, after, limit) => {
      if (!(await openProject(db, project))) return []
      const last = after === null ? null : await events.findOne({ _id: after })
      if (after !== null && last === null) return []
      const later =
        last === null ? {} : { $or: [{ at: { $gt: last.at } }, { at: last.at, _id: { $gt: last._id } }] }
      // Read on from the last one by its time too: a server that takes the index by `at` alone would begin at `from` each time.
      const since = last !== null && last.at > from ? last.at : from
      const rows = await events
        .find({ project, at: { $gte: since, $lt: to }, ...later })
        .sort({ at: 1, _id: 1 })
        .limit(limit)
        .toArray()
      return rows.map(fromStored<AnalyticsEvent>)
    },
    expire: async (project, before, limit) => {
      if (!(await openProject(db, project))) return 0
      const old = await events
        .find({ project, at: { $lt: before } }, { projection: { _id: 1, project: 1, at: 1 } })
        .sort({ at: 1, _id: 1 })
        .limit(limit)
        .toArray()
      const { deletedCount } = await changing(old, () =>
        events.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }),
      )
      return deletedCount
    },
  }
}
