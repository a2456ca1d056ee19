// Vectors of sections, by model and hash, so that the same text is embedded only once for all pages and projects. They are stored as
// 32-bit floats in little-endian order, which is native to all supported processors.
import type { Rows, Table } from './rows.ts'

interface TextVector {
  /** SHA-256 of the embedded texts, in hex. */
  hash: string
  vector: Float32Array
}

export interface StoredVector extends TextVector {
  model: string
  /** ISO 8601. */
  usedAt: string
}

interface VectorRow {
  uuid: string
  model: string
  hash: string
  usedAt: string
  vector: Uint8Array
}

export const vectorTable: Table<VectorRow> = {
  name: 'vector',
  fields: 'uuid model hash usedAt vector:bytes',
  indexes: ['usedAt'],
}

const toId = (model: string, hash: string): string => `${model} ${hash}`

/** A copy, because the bytes of a row may not be aligned. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

export type VectorStore = ReturnType<typeof createVectors>

export function createVectors(vectors: Rows<VectorRow>) {
  return {
    /** Vectors in the order of `hashes` (at most 1,000); null if missing. Records `at` (ISO 8601) as their last use. */
    async read(model: string, hashes: string[], at: string): Promise<(Float32Array | null)[]> {
      const ids = hashes.map((hash) => toId(model, hash))
      const rows = await vectors.all({ uuid: { $in: ids } }, 'uuid')
      await vectors.set({ uuid: { $in: ids }, usedAt: { $lt: at } }, { usedAt: at })
      const found = new Map(rows.map(({ uuid, vector }) => [uuid, toFloats(vector)]))
      return ids.map((id) => found.get(id) ?? null)
    },
    /** Stores vectors. Does not change existing ones. */
    async write(model: string, wanted: TextVector[], at: string): Promise<void> {
      const rows = wanted.map(({ hash, vector }) => {
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
        return { uuid: toId(model, hash), model, hash, usedAt: at, vector: bytes }
      })
      await vectors.insertAll(rows)
    },
    /** All vectors after `after`, sorted by model and hash. Does not count as a use. `limit`: 1 to 1,000. */
    async scan(after: Pick<StoredVector, 'model' | 'hash'> | null, limit: number): Promise<StoredVector[]> {
      const last = after === null ? '' : toId(after.model, after.hash)
      const rows = await vectors.all({ uuid: { $gt: last } }, 'uuid', { limit })
      return rows.map(({ uuid, vector, ...row }) => ({ ...row, vector: toFloats(vector) }))
    },
    /** Deletes vectors last used before the time (ISO 8601). */
    prune: async (before: string): Promise<void> => void (await vectors.delete({ usedAt: { $lt: before } })),
  }
}
