// Uploaded files, by id. Sources refer to them.
import { createHash } from 'node:crypto'

export interface Blob {
  size: number
  /** Hex. */
  sha256: string
}

export interface BlobStore {
  /**
   * Stores the pieces, all or none. Rejects with the error of `pieces` if it throws. Reads `pieces` but stores nothing if the
   * id exists.
   */
  put(id: string, pieces: AsyncIterable<Uint8Array>): Promise<Blob>
  /** Reads `length` bytes from `from` on, fewer at the end. Null if there is no such blob. */
  read(id: string, from: number, length: number): Promise<Uint8Array | null>
  delete(id: string): Promise<void>
  /** Deletes unreferenced and incomplete blobs older than `before`. */
  sweep(before: string): Promise<void>
}

/** Passes the pieces through. `blob` returns the size and hash of the pieces read so far. */
export function countPieces(pieces: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let size = 0
  async function* counted() {
    for await (const piece of pieces) {
      hash.update(piece)
      size += piece.byteLength
      yield piece
    }
  }
  return { pieces: counted(), blob: (): Blob => ({ size, sha256: hash.digest('hex') }) }
}
