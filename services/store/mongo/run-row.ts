// A run as it lies in its collection, and the run that a frontier belongs to.
import type { PageCounts, Run, RunWithCounts } from '../run.ts'
import type { MongoDb } from './connection.ts'
import type { Journal, OpenProject } from './journal.ts'
import { openProject } from './project-row.ts'
import { fromStored, type Stored } from './row.ts'

export interface RunRow extends Stored<Run> {
  supersedes: string | null
  pages: PageCounts
  /** Number of events; one that is numbered higher is not written yet. */
  events: number
  /** How far each source has come. */
  walks: Walk[]
  /** `leaving`: the events are being cleared, and in no answer any more. */
  log: 'kept' | 'leaving' | 'gone'
  /** `ended`: its frontier is to be cleared. */
  frontier: 'live' | 'ended' | 'cleared'
  seq: number
  /** How often the run was claimed since its last progress or release, and the counts that tell progress. */
  claims?: number
  place?: string
}

export interface Walk {
  source: string
  /** Listings so far: what numbers the next. */
  listed: number
  /** See FrontierStore.kept. */
  kept: number
}

export const runRows = (db: MongoDb) => db.collection<RunRow>('runs')

export const noPages: PageCounts = {
  discovered: 0,
  pending: 0,
  fetched: 0,
  unchanged: 0,
  added: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  removed: 0,
}

export function toRunRow(run: Run, change: Partial<RunRow> = {}): Omit<RunRow, 'seq'> {
  const { uuid, ...rest } = run
  return {
    _id: uuid,
    ...rest,
    supersedes: null,
    pages: noPages,
    events: 0,
    walks: [],
    log: 'kept',
    frontier: 'live',
    ...change,
  }
}

export function toRunWithCounts({
  supersedes,
  events,
  walks,
  log,
  frontier,
  seq,
  claims,
  place,
  ...row
}: RunRow): RunWithCounts {
  return fromStored<RunWithCounts>(row)
}

export function toRun(row: RunRow): Run {
  const { pages: _, ...run } = toRunWithCounts(row)
  return run
}

export function readRun(db: MongoDb, uuid: string | null): Promise<RunRow | null> {
  return uuid === null ? Promise.resolve(null) : runRows(db).findOne({ _id: uuid })
}

/** The run, while its project is there. */
export async function openRun(db: MongoDb, uuid: string): Promise<RunRow | null> {
  const row = await readRun(db, uuid)
  return row !== null && (await openProject(db, row.project)) ? row : null
}

export interface LiveRuns {
  /** The project of the run; null when there is no such run. */
  projectOf(run: string): Promise<string | null>
  /** The project of a live run, once no batch is linked to it; null when the run has ended. */
  projectOfLive(run: string): Promise<OpenProject | null>
}

/** Runs remembered at most: each has one project for ever. */
const remembered = 1_000

export function createLiveRuns(db: MongoDb, journal: Journal): LiveRuns {
  const known = new Map<string, string>()
  async function projectOf(run: string): Promise<string | null> {
    const project = known.get(run) ?? (await readRun(db, run))?.project ?? null
    if (project === null) return null
    if (known.size >= remembered) known.clear()
    known.set(run, project)
    return project
  }
  return {
    projectOf,
    projectOfLive: async (run) => {
      const uuid = await projectOf(run)
      const project = uuid === null ? null : await journal.settled(uuid)
      return project?.liveRun === run ? project : null
    },
  }
}
