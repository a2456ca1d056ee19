// A project is one document (journal.ts). Deleting a project or a chat replaces it by a tombstone,
// which hides all its data atomically. cleanup.ts deletes the rest.
import type { Filter } from 'mongodb'
import type { Chat } from '../chat.ts'
import type { ProjectState } from '../journal.ts'
import type { Project } from '../project.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { deleteInSteps, findByIds, type Stored } from './row.ts'

/** Of a cleanup. `now`: milliseconds since 1970. */
interface Removal {
  now(): number
  schedule(): void
}

/** Replaces a deleted project or chat until all its rows are deleted. Has no content. */
export interface Tombstone {
  _id: string
  state: 'gone'
  /** Milliseconds since 1970. */
  goneAt: number
}

/** Its slug is not a valid slug of a project. */
interface ProjectTombstone extends Tombstone {
  slug: string
}

/** A linked batch of the journal, until its writes are applied. */
export type Batch = (
  | { to: string; insert: MongoRow[] }
  | { to: string; set: MongoRow[] }
  | { to: string; erase: string[] }
  /** Deletes the bodies of previous versions of these pages. */
  | { oldBodies: string[] }
)[]

export interface ProjectRow extends Stored<Project>, Omit<ProjectState, 'uuid'> {
  state: 'open'
  batch: Batch | null
  /** Number of the last batch whose bodies cleanup.ts has checked. */
  bodiesChecked: number
}

const journal = { fence: 0, liveRun: null, deletedSources: [], sequence: 0, batch: null, bodiesChecked: 0 }
/** Fields of a new document that are not in rows. */
export const projectFields = { state: 'open', ...journal } as const satisfies Partial<ProjectRow>

export const projectRows = (db: MongoDb) => db.collection<ProjectRow>('projects')

const withoutBatch = { projection: { batch: 0 } } as const

export const toState = ({ _id, ...row }: ProjectRow): ProjectState => ({ uuid: _id, ...row })

/** Null if the project is deleted. A linked batch may not be applied yet. */
export async function readProject(db: MongoDb, uuid: string): Promise<ProjectState | null> {
  const row = await projectRows(db).findOne({ _id: uuid, state: 'open' }, withoutBatch)
  return row && toState(row)
}

/** The existing projects by UUID. */
export async function openProjects(db: MongoDb, uuids: Iterable<string>): Promise<Map<string, ProjectState>> {
  const rows = await findByIds(projectRows(db), uuids, withoutBatch.projection)
  return new Map(rows.flatMap((row) => (row.state === 'open' ? [[row._id, toState(row)]] : [])))
}

/** Whether the project exists. Rows of other collections are valid only while it does. */
export async function isOpen(db: MongoDb, uuid: string): Promise<boolean> {
  return (await readProject(db, uuid)) !== null
}

export const createProjectRemoval =
  (db: MongoDb, cleanup: Removal) =>
  async (uuid: string): Promise<boolean> => {
    const tombstones = db.collection<ProjectRow | ProjectTombstone>('projects')
    const tombstone = { state: 'gone', slug: `gone/${uuid}`, goneAt: cleanup.now() } as const
    const { matchedCount } = await tombstones.replaceOne({ _id: uuid, state: 'open' }, tombstone)
    if (matchedCount > 0) cleanup.schedule()
    return matchedCount > 0
  }

type ChatRow = (Stored<Chat> & { state: 'open' }) | (Tombstone & { project: string })

/** Its messages are deleted at once. The tombstone is for those that a crashed process leaves. */
export const createChatRemoval =
  (db: MongoDb, cleanup: Removal) =>
  async ({ uuid, ...filter }: Filter<ChatRow>): Promise<boolean> => {
    const chats = db.collection<ChatRow>('chats')
    const open = { ...filter, _id: uuid, state: 'open' } as Filter<ChatRow>
    const chat = await chats.findOne(open)
    if (chat === null) return false
    const tombstone = { project: chat.project, state: 'gone', goneAt: cleanup.now() } as const
    const { matchedCount } = await chats.replaceOne(open, tombstone)
    const messages = db.collection<MongoRow & { chat: string }>('chat_messages')
    if (matchedCount > 0) await deleteInSteps(messages, { chat: chat._id })
    return matchedCount > 0
  }
