// Analytics events, and the daily counts of them and of chats: a document a day.
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
  type KeyCount,
  maxDayKeys,
  maxDayText,
} from '../analytics.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, openProjects } from './journal.ts'
import { createRows, insertMissing, toStored, upserting } from './row.ts'

/** The counts of a day, made from its rows by the first reader and valid until a change of these rows begins. */
interface DayRow {
  _id: string
  project: string
  day: string
  /** Grows with each change. */
  version: number
  /** Changes that have begun and not ended: while there is one, each reading counts the rows. */
  openChanges: string[]
  /** Whether `tallies` matches the rows. */
  isCounted: boolean
  tallies: Tallies
}

/** By measure; `counts` is in the order of `keys`. */
type Tallies = Record<string, { sum: number; keys: string[]; counts: number[] }>

/**
 * A row that changes, and the time that it counts for. It names the change, so that a repetition ends what a lost connection
 * left open.
 */
export interface Change {
  _id: string
  project: string
  at: string
}

export interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Runs `work`, which changes these rows. If killed in the middle, it leaves days that each reading counts. */
  recount<T>(changes: readonly Change[], work: () => Promise<T>): Promise<T>
}

/** Days read at once. */
const maxDays = 8
/** Different keys of a range that are counted separately: some 30 MB of memory. */
const maxRangeKeys = 200_000
const stale = { $set: { isCounted: false, tallies: {} } }
const dayId = (project: string, day: string): string => `${project} ${day}`

/** `read` yields the counts of the rows of a project's day, some rows at a time. */
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
    // A change that has begun meanwhile has made the version another one.
    if (row === undefined)
      await insertMissing(days, [{ _id, project, day, version, openChanges, isCounted: true, tallies }])
    else if (openChanges.length === 0)
      await days.updateOne({ _id, version, openChanges: [] }, { $set: { isCounted: true, tallies } })
    return tallies
  }

  /** Each day of the range with its counts of these measures. */
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
        // A count may have read another change of the same row during this one.
        for (const [_id, [row]] of byDay)
          await days.updateOne({ _id }, { $pull: { openChanges: row!._id }, $inc: { version: 1 }, ...stale })
      }
      try {
        const result = await work()
        await end()
        return result
      } catch (error) {
        // After any other error it may still be written.
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
      return { unique: sums.size, top: readTop(sums, limit) }
    },
  }
}

/** The first `limit` by count, without sorting all. */
function readTop(sums: Map<string, number>, limit: number): KeyCount[] {
  let top: KeyCount[] = []
  for (const [key, count] of sums) {
    const last = top[limit - 1]
    if (last === undefined || byCount({ key, count }, last) < 0)
      top = [...top, { key, count }].sort(byCount).slice(0, limit)
  }
  return top
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

/** Rows read in one step of the event loop. */
const batchSize = 1_000

export function createAnalytics(db: MongoDb): AnalyticsStore {
  const { documents: events, ...rows } = createRows<AnalyticsEvent>(db, 'analytics_events')
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
      if (!(await isOpen(db, project))) return []
      const last = after === null ? null : await events.findOne({ _id: after })
      if (after !== null && last === null) return []
      const later =
        last === null ? {} : { $or: [{ at: { $gt: last.at } }, { at: last.at, _id: { $gt: last._id } }] }
      // Read on from the last one by its time too: a server that takes the index by `at` alone would begin at `from` each time.
      const since = last !== null && last.at > from ? last.at : from
      return rows.all({ project, at: { $gte: since, $lt: to }, ...later }, { at: 1, _id: 1 }, limit)
    },
    expire: async (project, before, limit) => {
      if (!(await isOpen(db, project))) return 0
      const old = (await rows.all({ project, at: { $lt: before } }, { at: 1, _id: 1 }, limit)).map(toStored)
      const uuids = old.map(({ _id }) => _id)
      return (await recount(old, () => events.deleteMany({ _id: { $in: uuids } }))).deletedCount
    },
  }
}
