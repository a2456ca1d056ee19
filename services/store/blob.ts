// Uploaded files: bytes under an id. A source names its own.
import { createHash } from 'node:crypto'

export interface Blob {
  size: number
  /** In hex. */
  sha256: string
}

export interface BlobStore {
  /**
   * Keeps the pieces, read one after the other, all of them or none: rejects with what they reject with. What has the id
   * already stays as it is.
   */
  put(id: string, pieces: AsyncIterable<Uint8Array>): Promise<Blob>
  /** At most `length` bytes from `from` on, fewer at the end; null where there is no such blob. */
  read(id: string, from: number, length: number): Promise<Uint8Array | null>
  delete(id: string): Promise<void>
  /** Deletes unreferenced and incomplete blobs older than `before`. */
  sweep(before: string): Promise<void>
}

/** The same pieces; `blob` returns the size and hash of the pieces read so far. */
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
