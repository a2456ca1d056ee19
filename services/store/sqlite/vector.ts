// Vectors of texts: four bytes per number, in the machine's byte order.
import type { StoredVector, VectorStore } from '../vector.ts'
import type { Connection } from './connection.ts'

export const vectorSchema = `
create table text_vector (
  model text not null,
  hash text not null,
  used_at text not null,
  vector blob not null,
  primary key (model, hash)
) strict;
create index text_vector_by_use on text_vector (used_at);
`

export function createVectors(db: Connection): VectorStore {
  return {
    read: async (model, hashes, at) => {
      const rows = db.all<{ hash: string; vector: Uint8Array }>(
        `update text_vector set used_at = max(used_at, ?)
         where model = ? and hash in (select value from json_each(?)) returning hash, vector`,
        [at, model, JSON.stringify(hashes)],
      )
      const vectors = new Map(rows.map(({ hash, vector }) => [hash, toFloats(vector)]))
      return hashes.map((hash) => vectors.get(hash) ?? null)
    },
    write: async (model, vectors, at) => {
      const sql =
        'insert into text_vector (model, hash, used_at, vector) values (?, ?, ?, ?) on conflict do nothing'
      db.write(() => {
        for (const { hash, vector } of vectors)
          db.run(sql, [model, hash, at, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)])
      })
    },
    scan: async (after, limit) => {
      const rows = db.all<Omit<StoredVector, 'vector'> & { vector: Uint8Array }>(
        `select model, hash, vector, used_at as usedAt from text_vector
         where ?1 is null or (model, hash) > (?1, ?2) order by model, hash limit ?3`,
        [after?.model ?? null, after?.hash ?? null, limit],
      )
      return rows.map((row) => ({ ...row, vector: toFloats(row.vector) }))
    },
    prune: async (before) => void db.run('delete from text_vector where used_at < ?', [before]),
  }
}

/** A copy, because the bytes of a row may not be aligned. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)
