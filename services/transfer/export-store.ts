// Writes a store into an archive.
import { open, rename, rm } from 'node:fs/promises'
import type { Store } from '../store/store.ts'
import { createLineWriter } from './archive-file.ts'
import { archiveVersion, createSummer, type Header, type RowLine, type Sums, toLine } from './archive-line.ts'
import { type Position, partsOf, type Read, readers } from './kinds.ts'

export interface ExportOptions {
  store: Store
  /** Where the archive is to be; until it is whole it is called `{path}.part`. */
  path: string
  /** See Header. */
  secret: string
  now(): Date
  /** Told of every page: rows written so far. */
  progress(rows: number): void
}

/** Answers the sums of the archive. Starts over after an interrupted export, whose rows are of another moment. */
export async function exportStore({ store, path, secret, now, progress }: ExportOptions): Promise<Sums> {
  const part = `${path}.part`
  const header = {
    archive: archiveVersion,
    at: now().toISOString(),
    secret,
    parts: await partsOf(store),
  } satisfies Header
  const summer = createSummer()
  // Another user may have put a file there, whose mode and owner it would keep.
  await rm(part, { force: true })
  const file = await open(part, 'wx', 0o600)
  try {
    const write = createLineWriter(file)
    await write([toLine(header)])
    let rows = 0
    for (const [at, { kind, scope }] of header.parts.entries()) {
      let next: Position = null
      do {
        const read: Read<unknown> = await readers[kind](store, scope ?? '', next, header.at)
        const lines = read.rows.map((row) => toLine({ kind, row } as RowLine))
        for (const line of lines) summer.add(kind, line)
        next = read.next
        await write([...lines, toLine({ part: at + 1 })])
        rows += lines.length
        progress(rows)
      } while (next !== null)
    }
    await write([toLine({ end: summer.sums() })])
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  return summer.sums()
}
