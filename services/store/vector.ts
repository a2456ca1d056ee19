// Vectors of sections, by model and hash. They are expensive, so the same text is embedded once for all pages and projects.

interface TextVector {
  /** SHA-256 of the texts that it is made of, hex. */
  hash: string
  vector: Float32Array
}

export interface StoredVector extends TextVector {
  model: string
  /** ISO 8601. */
  usedAt: string
}

export interface VectorStore {
  /** In the order of `hashes` (at most 1,000), null for a missing vector. Notes `at` (ISO 8601) as their last use. */
  read(model: string, hashes: string[], at: string): Promise<(Float32Array | null)[]>
  /** Keeps vectors; one that is kept already stays as it is. */
  write(model: string, vectors: TextVector[], at: string): Promise<void>
  /** All of them, by model and hash, from after `after`; not a use of them. `limit` from 1 to 1,000. */
  scan(after: Pick<StoredVector, 'model' | 'hash'> | null, limit: number): Promise<StoredVector[]>
  /** Forgets those last used before `before` (ISO 8601). */
  prune(before: string): Promise<void>
}
