import { type AnalyticsEvent, type AnalyticsStore, countedAs, type DayTally, dayOf } from '../analytics.ts'
import type { MongoDb } from './connection.ts'
import { openProject, openProjects } from './project-row.ts'
import { fromStored, insertMissing, type Stored, toStored, upserting } from './row.ts'

/**
 * A day of a project's events, by `<project> <day>`. What they add up to is a copy, made by whoever reads it first and
 * good until the next change of the day's events begins.
 */
interface DayRow {
  _id: string
  project: string
  day: string
  /** Grows with each change. */
  version: number
  /** Changes that have begun and not ended: while there is one, events are added up at each reading. */
  changing: string[]
  /** DayTally['counts'] as JSON, which is read quicker than a document; null where it must be made anew. */
  counts: string | null
}

/** Days added up at once. */
const daysAtOnce = 8
/** Characters of a copy: a document has at most 16 MiB. */
const maxCopy = 4_000_000

export function createAnalytics(db: MongoDb): AnalyticsStore {
  const events = db.collection<Stored<AnalyticsEvent>>('analytics_events')
  const days = db.collection<DayRow>('analytics_days')

  /** Runs `work`, which changes events of these days. Killed in the middle, it leaves days that are never copied. */
  async function changing<T>(touched: readonly Touched[], work: () => Promise<T>): Promise<T> {
    const byDay = Map.groupBy(touched, ({ project, at }) => idOf(project, dayOf({ at })))
    for (const [_id, [{ project, at, _id: change }]] of byDay as Map<string, [Touched]>)
      await upserting(() =>
        days.updateOne(
          { _id },
          {
            $setOnInsert: { project, day: dayOf({ at }) },
            $inc: { version: 1 },
            $set: { counts: null },
            $addToSet: { changing: change },
          },
          { upsert: true },
        ),
      )
    const result = await work()
    for (const [_id, [{ _id: change }]] of byDay as Map<string, [Touched]>)
      await days.updateOne({ _id }, { $pull: { changing: change }, $inc: { version: 1 } })
    return result
  }

  async function addUp(project: string, day: string): Promise<DayTally['counts']> {
    const totals = new Map<string, Map<string, number>>()
    for await (const event of events.find({ project, at: { $gte: day, $lt: `${day}~` } }))
      for (const [measure, key] of countedAs(fromStored<AnalyticsEvent>(event))) {
        if (!totals.has(measure)) totals.set(measure, new Map())
        const ofMeasure = totals.get(measure)!
        ofMeasure.set(key, (ofMeasure.get(key) ?? 0) + 1)
      }
    return Object.fromEntries([...totals].map(([measure, keys]) => [measure, Object.fromEntries(keys)]))
  }

  async function addUpAndKeep(project: string, day: string, row: DayRow | undefined) {
    const made = await addUp(project, day)
    const counts = JSON.stringify(made)
    const { version = 0, changing: under = [] } = row ?? {}
    if (under.length > 0 || counts.length > maxCopy) return made
    const _id = idOf(project, day)
    // A change that has begun meanwhile has made the version another one.
    if (row === undefined) await insertMissing(days, [{ _id, project, day, version, changing: [], counts }])
    else await days.updateOne({ _id, version, changing: [] }, { $set: { counts } })
    return made
  }

  return {
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
    tallies: async (project, { from, to }) => {
      if (!(await openProject(db, project))) return []
      const rows = await days.find({ project, day: { $gte: from, $lte: to } }).toArray()
      const byDay = new Map(rows.map((row) => [row.day, row]))
      const wanted = daysBetween(from, to)
      const tallies: DayTally[] = []
      for (let first = 0; first < wanted.length; first += daysAtOnce)
        tallies.push(
          ...(await Promise.all(
            wanted.slice(first, first + daysAtOnce).map(async (day) => {
              const row = byDay.get(day)
              const copy = row?.counts ?? null
              return {
                day,
                counts: copy === null ? await addUpAndKeep(project, day, row) : JSON.parse(copy),
              }
            }),
          )),
        )
      return tallies.filter(({ counts }) => Object.keys(counts).length > 0)
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

/** The first event of a day names the change, so that trying it again ends what a lost connection left open. */
type Touched = Pick<Stored<AnalyticsEvent>, '_id' | 'project' | 'at'>

const idOf = (project: string, day: string): string => `${project} ${day}`

function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}
