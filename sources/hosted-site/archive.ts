// The archive of a hosted site, of which no process ever holds the whole: its directory is read from the end of it in a parse thread,
// and then each page by its place.
import type { SourceTools } from '../source-type.ts'

/** Bytes of an archive. */
export const maxArchive = 250 * 1024 * 1024
/** Bytes of a page. */
export const maxPage = 10 * 1024 * 1024
/** Bytes at the end of an archive that its directory may take. */
const maxDirectory = 16 * 1024 * 1024
const firstTail = 256 * 1024

/** A page in the archive. */
export interface ArchivedPage {
  /** Relative to the site. */
  path: string
  contentType: string
  size: number
  crc32: number
  start: number
  packedSize: number
  isDeflated: boolean
}

/** What a task finds at the end of an archive; `missing`: that it must see the bytes from there on, too. */
export type Found<Result> = { result: Result } | { refused: string } | { missing: number }

/** Has a task look at as much of the end as it takes. Answers what it finds, or a phrase that goes on from the archive's name. */
export async function readTail<Result>(
  { bytes, read }: Pick<SourceTools, 'bytes' | 'read'>,
  task: 'pages' | 'check',
  size: number,
): Promise<{ result: Result } | { refused: string } | null> {
  let from = Math.max(0, size - firstTail)
  for (;;) {
    const tail = await bytes(from, size - from)
    if (tail === null) return null
    const found = await read<Found<Result>>(task, tail, size)
    if (!('missing' in found)) return found
    if (found.missing >= from || size - found.missing > maxDirectory)
      return { refused: 'has a directory that is too large' }
    from = found.missing
  }
}
