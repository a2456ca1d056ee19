// Analytics events, and the daily counts of events and chats, with a document per day.
import { setImmediate } from 'node:timers/promises'
import { Conflict } from '../../errors.ts'
import {
  type AnalyticsEvent,
  type AnalyticsStore,
  byCount,
  type CountedDays,
  countedAs,
  type DayCount,
  type DayRange,
  type EventMeasure,
  maxDayKeys,
  maxDayText,
} from '../analytics.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, openProjects } from './journal.ts'
import { insertMissing, toStored, upserting } from './row.ts'
import { createRows } from './rows.ts'

/** The counts of a day. The first reader counts the rows. A change of the rows invalidates the counts. */
interface DayRow {
  _id: string
  project: string
  day: string
  /** Incremented by each change. */
  version: number
  /** Changes in progress. While there is one, each read counts the rows. */
  openChanges: string[]
  /** Whether `tallies` matches the rows. */
  isCounted: boolean
  tallies: Tallies
}

/** By measure. `counts` has the order of `keys`. */
type Tallies = Record<string, { sum: number; keys: string[]; counts: number[] }>

/**
 * A row that changes, and its time. The row's id identifies the change, so that a retry completes a change that a lost
 * connection left open.
 */
export interface Change {
  _id: string
  project: string
  at: string
}

export interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Runs `work`, which changes these rows. After a crash in the middle, each read counts the affected days. */
  recount<T>(changes: readonly Change[], work: () => Promise<T>): Promise<T>
}

/** Days per read. */
const maxDays = 8
/** Maximum distinct keys of a range: some 30 MB of memory. */
const maxRangeKeys = 200_000
const stale = { $set: { isCounted: false, tallies: {} } }
const dayId = (project: string, day: string): string => `${project} ${day}`

/** `read` yields the measures and keys of the rows of a project's day. */
export function createDayCounts<Measure extends string>(
  db: MongoDb,
  collection: string,
  read: (project: string, day: string) => AsyncIterable<[Measure, string][]>,
): DayCounter<Measure> {
  const days = db.collection<DayRow>(collection)

  async function count(project: string, day: string, row: DayRow | undefined): Promise<Tallies> {
    const tallies = await tally(read(project, day))
    const { version = 0, openChanges = [] } = row ?? {}
    const _id = dayId(project, day)
    // Stored only if the version is unchanged, since a change may have begun meanwhile.
    if (row === undefined)
      await insertMissing(days, [{ _id, project, day, version, openChanges, isCounted: true, tallies }])
    else if (openChanges.length === 0)
      await days.updateOne({ _id, version, openChanges: [] }, { $set: { isCounted: true, tallies } })
    return tallies
  }

  /** Yields each day of the range with its counts of the measures. */
  async function* readTallies(project: string, { from, to }: DayRange, measures: readonly Measure[]) {
    if (!(await isOpen(db, project))) return
    const fields = Object.fromEntries(measures.map((measure) => [`tallies.${measure}`, 1]))
    for (let day = Date.parse(from); day <= Date.parse(to); day += maxDays * 86_400_000) {
      const some = Array.from({ length: maxDays }, (_, n) =>
        new Date(day + n * 86_400_000).toISOString().slice(0, 10),
      ).filter((each) => each <= to)
      const rows = await days
        .find({ _id: { $in: some.map((each) => dayId(project, each)) } })
        .project<DayRow>({ day: 1, version: 1, openChanges: 1, isCounted: 1, ...fields })
        .toArray()
      for (const each of some) {
        const row = rows.find((found) => found.day === each)
        const tallies = row?.isCounted ? row.tallies : await count(project, each, row)
        yield { day: each, tallies }
        await setImmediate()
      }
    }
  }

  return {
    async recount(changes, work) {
      const byDay = Map.groupBy(changes, ({ project, at }) => dayId(project, at.slice(0, 10)))
      for (const [_id, [row]] of byDay)
        await upserting(() =>
          days.updateOne(
            { _id },
            {
              $setOnInsert: { project: row!.project, day: row!.at.slice(0, 10) },
              $inc: { version: 1 },
              ...stale,
              $addToSet: { openChanges: row!._id },
            },
            { upsert: true },
          ),
        )
      async function end() {
        // Invalidates again, because a count during this change may have seen a part of it.
        for (const [_id, [row]] of byDay)
          await days.updateOne({ _id }, { $pull: { openChanges: row!._id }, $inc: { version: 1 }, ...stale })
      }
      try {
        const result = await work()
        await end()
        return result
      } catch (error) {
        // After other errors, the write may still take effect.
        if (error instanceof Conflict) await end()
        throw error
      }
    },
    daily: async (project, range, measures) => {
      const found: DayCount<Measure>[] = []
      for await (const { day, tallies } of readTallies(project, range, measures))
        for (const measure of measures.toSorted()) {
          const tallied = tallies[measure]
          if (tallied === undefined) continue
          found.push({
            day,
            measure,
            sum: tallied.sum,
            unique: tallied.keys.filter((key) => key !== '').length,
          })
        }
      return found
    },
    keys: async (project, range, measure, limit) => {
      const sums = new Map<string, number>()
      for await (const { tallies } of readTallies(project, range, [measure])) {
        const { keys = [], counts = [] } = tallies[measure] ?? {}
        for (const [n, key] of keys.entries())
          if (key !== '' && (sums.has(key) || sums.size < maxRangeKeys))
            sums.set(key, (sums.get(key) ?? 0) + counts[n]!)
      }
      const counted = Array.from(sums, ([key, count]) => ({ key, count })).sort(byCount)
      return { unique: sums.size, top: counted.slice(0, limit) }
    },
  }
}

async function tally(read: AsyncIterable<readonly (readonly [string, string])[]>): Promise<Tallies> {
  const byMeasure = new Map<string, { counts: Map<string, number>; text: number }>()
  for await (const counted of read)
    for (const [measure, key] of counted) {
      const of = byMeasure.get(measure) ?? { counts: new Map(), text: 0 }
      byMeasure.set(measure, of)
      const isNew = key !== '' && !of.counts.has(key)
      const hasRoom = of.counts.size < maxDayKeys && of.text + key.length <= maxDayText
      const countedKey = isNew && !hasRoom ? '' : key
      if (isNew && hasRoom) of.text += key.length
      of.counts.set(countedKey, (of.counts.get(countedKey) ?? 0) + 1)
    }
  return Object.fromEntries(
    [...byMeasure].map(([measure, { counts }]) => {
      const numbers = [...counts.values()]
      const sum = numbers.reduce((total, each) => total + each, 0)
      return [measure, { sum, keys: [...counts.keys()], counts: numbers }]
    }),
  )
}

const batchSize = 1_000

export function createAnalytics(db: MongoDb): AnalyticsStore {
  const { documents: events, ...rows } = createRows<AnalyticsEvent>(db, {
    name: 'analytics_event',
    isOfProject: true,
  })
  const { recount, ...counted } = createDayCounts<EventMeasure>(
    db,
    'analytics_days',
    async function* (project, day) {
      const ofDay = events.find({ project, at: { $gte: day, $lt: `${day}~` } }).batchSize(batchSize)
      for await (const row of ofDay) yield countedAs(rows.toRow(row))
    },
  )

  return {
    ...counted,
    record: async (wanted) => {
      const projects = wanted.map(({ project }) => project)
      const open = await openProjects(db, projects)
      const recorded = wanted.filter((event) => open.has(event.project)).map(toStored)
      await recount(recorded, () => insertMissing(events, recorded))
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
      const old = (await rows.all({ project, at: { $lt: before } }, 'at uuid', { limit })).map(toStored)
      const uuids = old.map(({ _id }) => _id)
      return (await recount(old, () => events.deleteMany({ _id: { $in: uuids } }))).deletedCount
    },
  }
}
