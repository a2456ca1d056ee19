// Writes of several rows of a project that take effect together. All changes that must be consistent with the project's pages, runs
// or counters use `write`: it decides from the current data, and commits unless another batch was committed meanwhile. Then it
// decides again. So the batches of a project are serializable, for any number of processes.
import { createSemaphore } from '../semaphore.ts'
import type { Answer, AnyTable } from './rows.ts'

/** The fields of a project that batches read and change. */
export interface ProjectState {
  uuid: string
  /** That of the newest run. */
  fence: number
  /** The live run. Writes with a fence require one. */
  liveRun: string | null
  /** Deleted sources that pages still refer to. */
  deletedSources: string[]
  /** See Project. */
  indexedAt: string | null
  /** Number of the last batch. */
  sequence: number
}

interface Keyed {
  uuid: string
}

/** Values are absolute, so that a driver can repeat a write. */
export type Write =
  /** Inserts rows whose uuid is new. */
  | { to: AnyTable; insert: Keyed[] }
  /** Inserts rows, or replaces those with the same uuid. */
  | { to: AnyTable; put: Keyed[] }
  /** Sets fields of existing rows. */
  | { to: AnyTable; set: Keyed[] }
  | { to: AnyTable; erase: string[] }
  /** Deletes the texts of previous versions of these pages. */
  | { oldTexts: string[] }

/** The text of one version of a page, packed by the driver. */
export interface PageText extends Keyed {
  page: string
  text: Uint8Array
}

export interface Decision<Result> {
  result: Result
  /** In order. Without writes and project fields, nothing is committed. */
  writes?: Write[]
  /** Changed fields of the project. */
  project?: Partial<ProjectState>
  /** Texts of new versions. */
  texts?: PageText[]
}

/** The methods of a driver. */
interface JournalDriver {
  /** Null if the project is deleted. A batch may be committed, but not yet visible in other rows. */
  project(uuid: string): Answer<ProjectState | null>
  /** The projects that exist, by uuid. */
  projects(uuids: Iterable<string>): Answer<Map<string, ProjectState>>
  /** The projects that have a live run, with all their batches visible. */
  liveProjects(): Answer<ProjectState[]>
  /** The project, with all its batches visible. Null if it is deleted. */
  settled(uuid: string): Answer<ProjectState | null>
  /** Commits a batch. False without a change if another one was committed since `project` was read, or if it is deleted. */
  commit(project: ProjectState, decision: Decision<unknown>): Answer<boolean>
  /** Lets other writers and other work run between the batches of long work. */
  pause(): Promise<void>
}

export type Journal = ReturnType<typeof createJournal>

/** Whether a write with the fence is allowed: that of the live run, or null for a recrawl. */
export function mayWrite(project: ProjectState, fence: number | null): boolean {
  return fence === null || (project.fence === fence && project.liveRun !== null)
}

/** A write that sets fields. Empty without rows, so that nothing is committed. */
export const toSet = (to: AnyTable, set: Keyed[]): Write[] => (set.length === 0 ? [] : [{ to, set }])

export function createJournal({ settled, commit, ...driver }: JournalDriver) {
  /** Serializes this process's calls for a project, so that they do not conflict. */
  const calls = createSemaphore({ max: Number.POSITIVE_INFINITY, maxOfGroup: 1 })

  async function write<Result>(
    uuid: string,
    decide: (project: ProjectState) => Answer<Decision<Result>>,
  ): Promise<Result | null> {
    for (;;) {
      const state = await settled(uuid)
      if (state === null) return null
      const decision = await decide(state)
      const isEmpty = (decision.writes ?? []).length === 0 && decision.project === undefined
      if (isEmpty || (await commit(state, decision))) return decision.result
    }
  }

  return {
    ...driver,
    settled: (uuid: string) => calls.run(uuid, async () => settled(uuid)),
    /** Decides and writes atomically. Repeats `decide` if another batch was committed meanwhile. Null if the project is deleted. */
    write: <Result>(uuid: string, decide: (project: ProjectState) => Answer<Decision<Result>>) =>
      calls.run(uuid, () => write(uuid, decide)),
    /** Calls `work` for consecutive chunks of `rows`, until it returns false. */
    async inChunks<Row>(rows: Row[], size: number, work: (chunk: Row[]) => Promise<boolean>): Promise<void> {
      for (let at = 0; at < rows.length; at += size) {
        if (at > 0) await driver.pause()
        if (!(await work(rows.slice(at, at + size)))) return
      }
    },
  }
}
