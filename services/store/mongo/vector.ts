// Vectors of texts, stored as 32-bit floats in little-endian order, which is native to all supported processors.
import { Binary } from 'mongodb'
import type { VectorStore } from '../vector.ts'
import type { MongoDb } from './connection.ts'
import { deleteInSteps, findByIds, insertMissing } from './row.ts'

interface VectorRow {
  _id: string
  model: string
  hash: string
  usedAt: string
  vector: Binary
}

const vectorId = (model: string, hash: string): string => `${hash}/${model}`

export function createVectors(db: MongoDb): VectorStore {
  const vectors = db.collection<VectorRow>('vectors')
  return {
    read: async (model, hashes, at) => {
      const ids = hashes.map((hash) => vectorId(model, hash))
      const rows = await findByIds(vectors, ids)
      const older = rows.filter((row) => row.usedAt < at).map((row) => row._id)
      if (older.length > 0) await vectors.updateMany({ _id: { $in: older } }, { $max: { usedAt: at } })
      const found = new Map(rows.map((row) => [row._id, toFloats(row.vector)]))
      return ids.map((id) => found.get(id) ?? null)
    },
    write: async (model, wanted, at) => {
      const rows = wanted.map(({ hash, vector }) => {
        const bytes = new Binary(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
        return { _id: vectorId(model, hash), model, hash, usedAt: at, vector: bytes }
      })
      await insertMissing(vectors, rows)
    },
    scan: async (after, limit) => {
      const later =
        after === null
          ? {}
          : { $or: [{ model: { $gt: after.model } }, { model: after.model, hash: { $gt: after.hash } }] }
      const rows = await vectors.find(later).sort({ model: 1, hash: 1 }).limit(limit).toArray()
      return rows.map(({ _id, vector, ...row }) => ({ ...row, vector: toFloats(vector) }))
    },
    prune: (before) => deleteInSteps(vectors, { usedAt: { $lt: before } }),
  }
}

/** A copy, because the bytes of a row may not be aligned. */
function toFloats({ buffer, position }: Binary): Float32Array {
  return new Float32Array(Uint8Array.from(buffer.subarray(0, position)).buffer)
}
