// Writes a store into an archive, and goes on with an archive that was cut off.
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { Store } from '../store/store.ts'
import { createLineWriter, wholeLines } from './archive-file.ts'
import {
  archiveVersion,
  type Checkpoint,
  createSummer,
  type Header,
  type Line,
  type RowLine,
  readHeader,
  type Sums,
  toLine,
} from './archive-line.ts'
import { partsOf, readers } from './kinds.ts'

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

/**
 * Answers what the archive holds. One that was cut off goes on behind its last checkpoint; rows that changed meanwhile
 * stand as they were read.
 */
export async function exportStore({ store, path, secret, now, progress }: ExportOptions): Promise<Sums> {
  const part = `${path}.part`
  const begun = (await resume(part, secret)) ?? (await begin(store, secret, now))
  const { header, summer } = begun
  // Another user may have put a file there, whose mode and owner it would keep.
  if (begun.length === 0) await rm(part, { force: true })
  const file = await open(part, begun.length > 0 ? 'r+' : 'wx', 0o600)
  try {
    await file.truncate(begun.length)
    const write = createLineWriter(file, begun.length)
    if (begun.length === 0) await write([toLine(header)])
    let { part: at, next } = begun.checkpoint
    let rows = begun.rows
    while (at < header.parts.length) {
      const { kind, scope } = header.parts[at]!
      const read = await readers[kind](store, scope ?? '', next, header.at)
      const lines = read.rows.map((row) => toLine({ kind, row } as RowLine))
      for (const line of lines) summer.add(kind, line)
      next = read.next
      if (next === null) at += 1
      await write([...lines, toLine({ part: at, next })])
      rows += lines.length
      progress(rows)
    }
    await write([toLine({ end: summer.sums() })])
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  return summer.sums()
}

interface Begun {
  header: Header
  checkpoint: Checkpoint
  /** Of the rows before the checkpoint. */
  summer: ReturnType<typeof createSummer>
  rows: number
  /** Bytes up to the end of the checkpoint; 0 at the beginning. */
  length: number
}

async function begin(store: Store, secret: string, now: () => Date): Promise<Begun> {
  const at = now().toISOString()
  const header = { archive: archiveVersion, at, secret, parts: await partsOf(store) }
  return { header, checkpoint: { part: 0, next: null }, summer: createSummer(), rows: 0, length: 0 }
}

/** What an earlier export left; null where there is nothing to go on with. */
async function resume(path: string, secret: string): Promise<Begun | null> {
  if (!existsSync(path)) return null
  let begun: Begun | null = null
  let sinceCheckpoint: { kind: RowLine['kind']; text: string }[] = []
  for await (const { text, end } of wholeLines(path)) {
    if (begun === null) {
      const header = readHeader(text)
      if (header?.secret !== secret) return null
      begun = { header, checkpoint: { part: 0, next: null }, summer: createSummer(), rows: 0, length: end }
      continue
    }
    const line = JSON.parse(text) as Line
    if ('kind' in line) sinceCheckpoint.push({ kind: line.kind, text })
    if (!('part' in line)) continue
    for (const row of sinceCheckpoint) begun.summer.add(row.kind, row.text)
    begun.rows += sinceCheckpoint.length
    sinceCheckpoint = []
    begun.checkpoint = line
    begun.length = end
  }
  return begun
}
