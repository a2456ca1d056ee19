// A run as it lies in its collection, and the project that a run belongs to.
import { LRUCache } from 'lru-cache'
import { noPages, type PageCounts, type Run, type RunWithCounts } from '../run.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, type Journal, type ProjectRow } from './journal.ts'
import type { Stored } from './row.ts'

export interface RunRow extends Stored<Run> {
  supersedes: string | null
  pages: PageCounts
  /** Number of events; one that is numbered higher is not written yet. */
  events: number
  /** Whether its event log is out of every answer. */
  isLogGone: boolean
  /** `ended`: its frontier is to be deleted. */
  frontier: 'live' | 'ended' | 'cleared'
  seq: number
  /** How often the run was claimed since its last progress or release, and the counts that show progress. */
  claims?: number
  place?: string
}

export const runRows = (db: MongoDb) => db.collection<RunRow>('runs')

export const newestFirst = { createdAt: -1, fence: -1 } as const

export function toRunRow({ uuid, ...run }: Run, change: Partial<RunRow> = {}): Omit<RunRow, 'seq'> {
  const begun = { supersedes: null, pages: noPages, events: 0, isLogGone: false, frontier: 'live' } as const
  return { _id: uuid, ...run, ...begun, ...change }
}

export function toRunWithCounts(row: RunRow): RunWithCounts {
  const { _id, supersedes, events, isLogGone, frontier, seq, claims, place, ...run } = row
  return { uuid: _id, ...run }
}

export async function readRun(db: MongoDb, uuid: string | null): Promise<RunRow | null> {
  return uuid === null ? null : runRows(db).findOne({ _id: uuid })
}

/** The run, while its project is there. */
export async function openRun(db: MongoDb, uuid: string): Promise<RunRow | null> {
  const row = await readRun(db, uuid)
  return row !== null && (await isOpen(db, row.project)) ? row : null
}

export interface LiveRuns {
  /** The project of the run; null when there is no such run. */
  project(run: string): Promise<string | null>
  /** The project of a live run, once no batch is linked to it; null when the run has ended. */
  liveProject(run: string): Promise<ProjectRow | null>
}

export function createLiveRuns(db: MongoDb, journal: Journal): LiveRuns {
  /** By run: it never changes. */
  const projects = new LRUCache<string, string>({
    max: 1_000,
    fetchMethod: async (run) => (await readRun(db, run))?.project,
  })
  return {
    project: async (run) => (await projects.fetch(run)) ?? null,
    liveProject: async (run) => {
      const uuid = await projects.fetch(run)
      const open = uuid === undefined ? null : await journal.settled(uuid)
      return open?.liveRun === run ? open : null
    },
  }
}
