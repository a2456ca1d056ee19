// Vectors of texts: four bytes per number, in the machine's byte order.
import type { StoredVector, VectorStore } from '../vector.ts'
import type { Connection } from './connection.ts'

export function createVectors(db: Connection): VectorStore {
  return {
    read: async (model, hashes, at) => {
      const rows = db.all<{ hash: string; vector: Uint8Array }>(
        `update text_vector set used_at = max(used_at, ?)
       where model = ? and hash in (select value from json_each(?)) returning hash, vector`,
        at,
        model,
        JSON.stringify(hashes),
      )
      const found = new Map(rows.map(({ hash, vector }) => [hash, toFloats(vector)]))
      return hashes.map((hash) => found.get(hash) ?? null)
    },
    write: async (model, vectors, at) => {
      db.write(() => {
        for (const { hash, vector } of vectors) {
          db.run(
            'insert into text_vector (model, hash, used_at, vector) values (?, ?, ?, ?) on conflict do nothing',
            model,
            hash,
            at,
            new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
          )
        }
      })
    },
    scan: async (after, limit) =>
      db
        .all<Omit<StoredVector, 'vector'> & { vector: Uint8Array }>(
          `select model, hash, vector, used_at as usedAt from text_vector
         where ?1 is null or (model, hash) > (?1, ?2) order by model, hash limit ?3`,
          after?.model ?? null,
          after?.hash ?? null,
          limit,
        )
        .map((row) => ({ ...row, vector: toFloats(row.vector) })),
    prune: async (before) => {
      db.run('delete from text_vector where used_at < ?', before)
    },
  }
}

/** A copy, for the bytes of a row may stand at any place in memory. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)
