// The terms of a project's pages: chunks under a version of their own, and one document that says which version counts.
//
//   vocabularies       {_id: p, reserved: 8, version: 7, chunks: 2}
//   vocabulary_chunks  p/7/0, p/7/1 (what readers see), p/8/0 (being written; counts when `version` is 8)
import { Binary } from 'mongodb'
import type { VocabularyStore } from '../vocabulary.ts'
import type { MongoDb } from './connection.ts'
import { openProject } from './project-row.ts'
import { deleteInSteps, upserting } from './row.ts'

/** Bytes of a chunk: a document holds 16 MB at most. */
const chunkSize = 8_000_000

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
  const idOf = (project: string, version: number, n: number) => `${project}/${version}/${n}`
  async function current(project: string): Promise<Pointer | null> {
    const pointer = await pointers.findOne({ _id: project })
    return pointer !== null && pointer.version > 0 && (await openProject(db, project)) ? pointer : null
  }

  /** Null where a writer has taken the version away meanwhile. */
  async function readVersion({ _id, version, chunks: count }: Pointer): Promise<Uint8Array | null> {
    const ids = Array.from({ length: count }, (_, n) => idOf(_id, version, n))
    const rows = await chunks.find({ _id: { $in: ids } }).toArray()
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
      if (!(await openProject(db, project))) return 0
      const reserved = await upserting(() =>
        pointers.findOneAndUpdate(
          { _id: project },
          { $inc: { reserved: 1 }, $setOnInsert: { project, version: 0, chunks: 0 } },
          { returnDocument: 'after', upsert: true },
        ),
      )
      const version = reserved!.reserved
      const count = Math.max(1, Math.ceil(terms.length / chunkSize))
      for (let n = 0; n < count; n++) {
        const bytes = new Binary(terms.subarray(n * chunkSize, (n + 1) * chunkSize))
        await chunks.insertOne({ _id: idOf(project, version, n), project, version, bytes })
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
