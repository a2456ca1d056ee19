// What days add up to. A day's counts are a copy of what its rows say, made by whoever reads it first and good until the next
// change of one of these rows begins.
import { Binary } from 'mongodb'
import { Conflict } from '../../errors.ts'
import {
  type CountedDays,
  createTally,
  type DayCounts,
  daysBetween,
  readKeys,
  unpack,
} from '../day-counts.ts'
import type { MongoDb } from './connection.ts'
import { openProject } from './project-row.ts'
import { insertMissing, upserting } from './row.ts'

/** By `<project> <day>`. */
interface DayRow {
  _id: string
  project: string
  day: string
  /** Grows with each change. */
  version: number
  /** Changes that have begun and not ended: while there is one, rows are added up at each reading. */
  changing: string[]
  /** Whether `counts` is what the rows say. */
  isKept: boolean
  /** By measure. */
  counts: Counts
}

type Counts = Record<string, { sums: Binary; keys: string }>

/**
 * A row that is changed, and when what it counts for was. It names the change, so that trying it again ends what a lost
 * connection left open.
 */
export interface Touched {
  _id: string
  project: string
  at: string
}

export interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Runs `work`, which changes these rows. Killed in the middle, it leaves days that are never copied. */
  changing<T>(touched: readonly Touched[], work: () => Promise<T>): Promise<T>
}

/** All of a day's row but its counts. */
const state = { day: 1, version: 1, changing: 1, isKept: 1 } as const
/** Days added up at once. */
const daysAtOnce = 8
/** Bytes of a copy: a document has at most 16 MiB. */
const maxCopy = 8_000_000

/** `read`: what the rows of a project's day count as. */
export function createDayCounts<Measure extends string>(
  db: MongoDb,
  collection: string,
  read: (project: string, day: string) => AsyncIterable<[Measure, string][]>,
): DayCounter<Measure> {
  const days = db.collection<DayRow>(collection)

  async function addUp(project: string, day: string, row: DayRow | undefined): Promise<Counts> {
    const tally = createTally<Measure>()
    for await (const counted of read(project, day)) tally.add(counted)
    const packed = [...tally.pack()]
    const counts: Counts = Object.fromEntries(
      packed.map(([measure, { sums, keys }]) => [measure, { sums: new Binary(sums), keys }]),
    )
    const { version = 0, changing = [] } = row ?? {}
    const size = packed.reduce((sum, [, { sums, keys }]) => sum + sums.length + 3 * keys.length, 0)
    if (changing.length > 0 || size > maxCopy) return counts
    const _id = idOf(project, day)
    const made = { isKept: true, counts }
    // A change that has begun meanwhile has made the version another one.
    if (row === undefined) await insertMissing(days, [{ _id, project, day, version, changing: [], ...made }])
    else await days.updateOne({ _id, version, changing: [] }, { $set: made })
    return counts
  }

  const countsOf = async (project: string, day: string, row: DayRow | undefined): Promise<Counts> =>
    row?.isKept ? (row.counts ?? {}) : addUp(project, day, row)

  return {
    async changing(touched, work) {
      const byDay = Map.groupBy(touched, ({ project, at }) => idOf(project, at.slice(0, 10)))
      for (const [_id, [row]] of byDay)
        await upserting(() =>
          days.updateOne(
            { _id },
            {
              $setOnInsert: { project: row!.project, day: row!.at.slice(0, 10) },
              $inc: { version: 1 },
              $set: { isKept: false, counts: {} },
              $addToSet: { changing: row!._id },
            },
            { upsert: true },
          ),
        )
      async function end() {
        // Another change of the same row may have been added up amid this one.
        for (const [_id, [row]] of byDay)
          await days.updateOne(
            { _id },
            {
              ...{ $pull: { changing: row!._id }, $inc: { version: 1 } },
              $set: { isKept: false, counts: {} },
            },
          )
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
    counts: async (project, range, measures) => {
      if (!(await openProject(db, project))) return []
      const projection = Object.fromEntries(measures.map((measure) => [`counts.${measure}.sums`, 1]))
      const rows = await days
        .find({ project, day: { $gte: range.from, $lte: range.to } })
        .project<DayRow>({ ...state, ...projection })
        .toArray()
      const kept = new Map(rows.map((row) => [row.day, row]))
      const wanted = daysBetween(range)
      const found: DayCounts<Measure>[] = []
      for (let first = 0; first < wanted.length; first += daysAtOnce) {
        const some = wanted.slice(first, first + daysAtOnce)
        const counts = await Promise.all(some.map((day) => countsOf(project, day, kept.get(day))))
        for (const [n, day] of some.entries())
          for (const measure of measures.toSorted()) {
            const sums = counts[n]?.[measure]?.sums
            if (sums !== undefined) found.push(unpack(day, measure, sums.value()))
          }
      }
      return found
    },
    countedKeys: async (project, wanted, measure) => {
      const found = new Map<number, string>()
      if (!(await openProject(db, project))) return found
      const rows = await days
        .find({ _id: { $in: wanted.map((day) => idOf(project, day)) } })
        .project<DayRow>({ ...state, [`counts.${measure}`]: 1 })
        .toArray()
      const kept = new Map(rows.map((row) => [row.day, row]))
      for (const day of wanted) {
        const packed = (await countsOf(project, day, kept.get(day)))[measure]
        if (!packed) continue
        for (const [hash, key] of readKeys({ sums: packed.sums.value(), keys: packed.keys }))
          found.set(hash, key)
      }
      return found
    },
  }
}

const idOf = (project: string, day: string): string => `${project} ${day}`
