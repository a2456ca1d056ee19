// Vectors of texts: four bytes a number, little-endian, as every processor that Lectern runs on has them.
import { Binary } from 'mongodb'
import type { VectorStore } from '../vector.ts'
import type { MongoDb } from './connection.ts'
import { deleteInSteps, insertMissing } from './row.ts'

interface VectorRow {
  /** `hash/model`. */
  _id: string
  model: string
  hash: string
  usedAt: string
  vector: Binary
}

const idOf = (model: string, hash: string): string => `${hash}/${model}`

export function createVectors(db: MongoDb): VectorStore {
  const vectors = db.collection<VectorRow>('vectors')
  return {
    read: async (model, hashes, at) => {
      const ids = hashes.map((hash) => idOf(model, hash))
      const rows = await vectors.find({ _id: { $in: ids } }).toArray()
      const older = rows.filter((row) => row.usedAt < at).map((row) => row._id)
      if (older.length > 0) await vectors.updateMany({ _id: { $in: older } }, { $max: { usedAt: at } })
      const found = new Map(rows.map((row) => [row._id, toFloats(row.vector)]))
      return ids.map((id) => found.get(id) ?? null)
    },
    write: (model, wanted, at) =>
      insertMissing(
        vectors,
        wanted.map(({ hash, vector }) => ({
          _id: idOf(model, hash),
          model,
          hash,
          usedAt: at,
          vector: new Binary(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
        })),
      ),
    scan: async (after, limit) => {
      const later =
        after === null
          ? {}
          : { $or: [{ model: { $gt: after.model } }, { model: after.model, hash: { $gt: after.hash } }] }
      const rows = await vectors.find(later).sort({ model: 1, hash: 1 }).limit(limit).toArray()
      return rows.map(({ model, hash, usedAt, vector }) => ({
        model,
        hash,
        usedAt,
        vector: toFloats(vector),
      }))
    },
    prune: async (before) => {
      await deleteInSteps(vectors, { usedAt: { $lt: before } })
    },
  }
}

/** A copy, for the bytes of a row may stand at any place in memory. */
function toFloats({ buffer, position }: Binary): Float32Array {
  return new Float32Array(Uint8Array.from(buffer.subarray(0, position)).buffer)
}
