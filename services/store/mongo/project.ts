// Projects, and the vocabulary of each. A project is one document (journal.ts). Deleting it leaves a tombstone: from that one
// change on nothing of the project is in any answer, and cleanup.ts deletes the rest.
import { Binary, type Filter } from 'mongodb'
import type { Project, ProjectStore, VocabularyStore } from '../project.ts'
import type { Cleanup, Tombstone } from './cleanup.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, openProjects, type ProjectRow, projectRows, withoutBatch } from './journal.ts'
import { deleteInSteps, findByIds, findPage, insertOnce, upserting } from './row.ts'

/** Its slug is none that a project can have. */
interface ProjectTombstone extends Tombstone {
  slug: string
}

function fromProject({ uuid, ...project }: Project): ProjectRow {
  const journal = { fence: 0, liveRun: null, deletedSources: [], sequence: 0, batch: null, bodiesChecked: 0 }
  return { _id: uuid, state: 'open', ...project, ...journal }
}

function toProject(row: ProjectRow): Project {
  const { _id, state, fence, liveRun, deletedSources, sequence, batch, bodiesChecked, ...project } = row
  return { uuid: _id, ...project }
}

export function createProjects(db: MongoDb, cleanup: Cleanup): ProjectStore {
  const projects = projectRows(db)
  const tombstones = db.collection<ProjectRow | ProjectTombstone>('projects')

  async function one(filter: Filter<ProjectRow>): Promise<Project | null> {
    const row = await projects.findOne({ ...filter, state: 'open' }, withoutBatch)
    return row && toProject(row)
  }
  async function byUuid(filter: Filter<ProjectRow>): Promise<Project[]> {
    const found = projects.find({ state: 'open', ...filter }, withoutBatch).sort({ _id: 1 })
    return (await found.toArray()).map(toProject)
  }

  return {
    insert: (project) => insertOnce(projects, fromProject(project), 'slug'),
    bySlug: (slug) => one({ slug }),
    byUuid: (uuid) => one({ _id: uuid }),
    slugs: async (uuids) => {
      const found = await openProjects(db, uuids)
      return new Map([...found.values()].map(({ _id, slug }) => [_id, slug]))
    },
    list: (team, only, page) =>
      findPage(projects, { team, ...(only && { _id: { $in: only } }) }, { slug: 1 }, page, toProject),
    scheduled: () => byUuid({ 'config.sync.schedule': { $ne: null } }),
    retaining: () => byUuid({ 'config.retentionDays': { $ne: null } }),
    update: async ({ uuid, name, isPrivate, whitelabel, allowedDomains, config, updatedAt, revision }) => {
      const { matchedCount } = await projects.updateOne(
        { _id: uuid, state: 'open', revision: revision - 1 },
        { $set: { name, isPrivate, whitelabel, allowedDomains, config, updatedAt, revision } },
      )
      return matchedCount > 0
    },
    delete: async (uuid) => {
      const tombstone = { state: 'gone', slug: `gone/${uuid}`, goneAt: cleanup.now() } as const
      const { matchedCount } = await tombstones.replaceOne({ _id: uuid, state: 'open' }, tombstone)
      if (matchedCount > 0) cleanup.schedule()
      return matchedCount > 0
    },
  }
}

// A vocabulary is kept in chunks under a version of their own, and one document says which version readers see:
//
//   vocabularies       {_id: p, reserved: 8, version: 7, chunks: 2}
//   vocabulary_chunks  p/7/0, p/7/1 (what readers see), p/8/0 (being written; counts when `version` is 8)

/** Bytes of a chunk: a document holds 16 MB at most. */
const maxChunkBytes = 8_000_000

interface Pointer {
  _id: string
  project: string
  /** The greatest version that anyone has begun to write. */
  reserved: number
  /** The version that readers see; 0 before the first is whole. */
  version: number
  chunks: number
}

interface Chunk {
  _id: string
  project: string
  version: number
  bytes: Binary
}

export function createVocabulary(db: MongoDb): VocabularyStore {
  const pointers = db.collection<Pointer>('vocabularies')
  const chunks = db.collection<Chunk>('vocabulary_chunks')
  const chunkId = (project: string, version: number, n: number) => `${project}/${version}/${n}`
  async function current(project: string): Promise<Pointer | null> {
    const pointer = await pointers.findOne({ _id: project })
    return pointer !== null && pointer.version > 0 && (await isOpen(db, project)) ? pointer : null
  }

  /** Null where a writer has taken the version away meanwhile. */
  async function readVersion({ _id, version, chunks: count }: Pointer): Promise<Uint8Array | null> {
    const ids = Array.from({ length: count }, (_, n) => chunkId(_id, version, n))
    const rows = await findByIds(chunks, ids)
    const bytes = new Map(rows.map((row) => [row._id, row.bytes.buffer.subarray(0, row.bytes.position)]))
    const parts = ids.map((id) => bytes.get(id))
    return parts.every((part) => part !== undefined) ? Uint8Array.from(Buffer.concat(parts)) : null
  }

  return {
    version: async (project) => (await current(project))?.version ?? 0,
    read: async (project) => {
      for (;;) {
        const pointer = await current(project)
        if (pointer === null) return null
        const terms = await readVersion(pointer)
        if (terms !== null) return { version: pointer.version, terms }
      }
    },
    write: async (project, terms) => {
      if (!(await isOpen(db, project))) return 0
      const reserved = await upserting(() =>
        pointers.findOneAndUpdate(
          { _id: project },
          { $inc: { reserved: 1 }, $setOnInsert: { project, version: 0, chunks: 0 } },
          { returnDocument: 'after', upsert: true },
        ),
      )
      const version = reserved!.reserved
      const count = Math.max(1, Math.ceil(terms.length / maxChunkBytes))
      for (let n = 0; n < count; n++) {
        const bytes = new Binary(terms.subarray(n * maxChunkBytes, (n + 1) * maxChunkBytes))
        await chunks.insertOne({ _id: chunkId(project, version, n), project, version, bytes })
      }
      // A later version that is whole already stays: what it was made from is newer.
      await pointers.updateOne(
        { _id: project, version: { $lt: version } },
        { $set: { version, chunks: count } },
      )
      await deleteInSteps(chunks, { project, version: { $lt: version } })
      return version
    },
  }
}
