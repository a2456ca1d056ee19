// The lines of an archive: JSON, one row a line, the same row the same letters whichever driver it came from.
//
//   {"archive": 1, "at": "…", "secret": "…", "parts": [{"kind": "team", "scope": null}, …]}   first line
//   {"kind": "project", "row": {…}}                                                        rows
//   {"part": 3}                                                                            the next rows are of this part
//   {"end": {"project": {"count": 2, "checksum": "…"}, …}}                                 last line
import { createHash } from 'node:crypto'
import type { Kind, Part, Rows } from './kinds.ts'

export const archiveVersion = 1

export interface Header {
  archive: number
  /** When it was begun. */
  at: string
  /** Tells whether two installations share LECTERN_SECRET; the secret cannot be told from it. */
  secret: string
  parts: Part[]
}

/** `checksum`: of the rows of a kind, in whatever order they come. */
export type Sums = Partial<Record<Kind, { count: number; checksum: string }>>

export type RowLine = { [K in Kind]: { kind: K; row: Rows[K] } }[Kind]

export type Line = Header | RowLine | { part: number } | { end: Sums }

/** Keys in order, so that equal rows are equal lines. */
export function toLine(value: Line): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** Hash of a row's line, 16 bytes in hex. */
export function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('hex').slice(0, 32)
}

/** Adds up rows: sums of 128 bits, which do not depend on the order. */
export function createSummer() {
  const sums = new Map<Kind, { count: number; sum: bigint }>()
  return {
    add(kind: Kind, line: string) {
      const before = sums.get(kind) ?? { count: 0, sum: 0n }
      const sum = BigInt.asUintN(128, before.sum + BigInt(`0x${hashOf(line)}`))
      sums.set(kind, { count: before.count + 1, sum })
    },
    sums(): Sums {
      return Object.fromEntries(
        [...sums].map(([kind, { count, sum }]) => [
          kind,
          { count, checksum: sum.toString(16).padStart(32, '0') },
        ]),
      )
    },
  }
}

/** The header, where the line is one of this version. */
export function readHeader(text: string): Header | null {
  try {
    const header = JSON.parse(text) as Header
    return header.archive === archiveVersion ? header : null
  } catch {
    return null
  }
}
