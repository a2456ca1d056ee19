// Vectors of sections, by model and hash, so that the same text is embedded only once for all pages and projects.

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

export interface VectorStore {
  /** Vectors in the order of `hashes` (at most 1,000); null if missing. Records `at` (ISO 8601) as their last use. */
  read(model: string, hashes: string[], at: string): Promise<(Float32Array | null)[]>
  /** Stores vectors. Does not change existing ones. */
  write(model: string, vectors: TextVector[], at: string): Promise<void>
  /** All vectors after `after`, sorted by model and hash. Does not count as a use. `limit`: 1 to 1,000. */
  scan(after: Pick<StoredVector, 'model' | 'hash'> | null, limit: number): Promise<StoredVector[]>
  /** Deletes vectors last used before the time (ISO 8601). */
  prune(before: string): Promise<void>
}
