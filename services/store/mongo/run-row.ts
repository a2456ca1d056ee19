// The document of a run, and the lookup of its project.
import { LRUCache } from 'lru-cache'
import { noPages, type PageCounts, type Run, type RunWithCounts } from '../run.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, type Journal, type ProjectRow } from './journal.ts'
import type { Stored } from './row.ts'

export interface RunRow extends Stored<Run> {
  pages: PageCounts
  /** Number of events. Events with a higher number belong to a batch in progress. */
  events: number
  /** `ended`: the frontier is to be deleted. */
  frontier: 'live' | 'ended' | 'cleared'
  seq: number
  /** Number of claims since the last progress or release, and the counts by which progress is detected. */
  claims?: number
  place?: string
}

export const runRows = (db: MongoDb) => db.collection<RunRow>('runs')

export const newestFirst = { createdAt: -1, fence: -1 } as const

export function toRunRow({ uuid, ...run }: Run, change: Partial<RunRow> = {}): Omit<RunRow, 'seq'> {
  const begun = { pages: noPages, events: 0, frontier: 'live' } as const
  return { _id: uuid, ...run, ...begun, ...change }
}

export function toRunWithCounts(row: RunRow): RunWithCounts {
  const { _id, events, frontier, seq, claims, place, ...run } = row
  return { uuid: _id, ...run }
}

export async function readRun(db: MongoDb, uuid: string | null): Promise<RunRow | null> {
  return uuid === null ? null : runRows(db).findOne({ _id: uuid })
}

/** Null if the run or its project does not exist. */
export async function openRun(db: MongoDb, uuid: string): Promise<RunRow | null> {
  const row = await readRun(db, uuid)
  return row !== null && (await isOpen(db, row.project)) ? row : null
}

export type LiveRuns = ReturnType<typeof createLiveRuns>

export function createLiveRuns(db: MongoDb, journal: Journal) {
  /** By run. A run's project never changes. */
  const projects = new LRUCache<string, string>({
    max: 1_000,
    fetchMethod: async (run) => (await readRun(db, run))?.project,
  })
  return {
    /** UUID of the run's project; null if there is no such run. */
    project: async (run: string): Promise<string | null> => (await projects.fetch(run)) ?? null,
    /** The project of a live run, without a linked batch. Null if the run has ended. */
    liveProject: async (run: string): Promise<ProjectRow | null> => {
      const uuid = await projects.fetch(run)
      const open = uuid === undefined ? null : await journal.settled(uuid)
      return open?.liveRun === run ? open : null
    },
  }
}
