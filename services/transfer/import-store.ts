// Reads an archive into a store and its index: looked through first, then written, then compared with what is there.
import { DomainError, isConflict } from '../errors.ts'
import { encodeVocabulary } from '../search/vocabulary.ts'
import type { Source } from '../store/source.ts'
import { wholeLines } from './archive-file.ts'
import {
  createSummer,
  type Header,
  hashOf,
  type Line,
  type RowLine,
  readHeader,
  type Sums,
  toLine,
} from './archive-line.ts'
import { type Kind, type Part, type Position, type Read, readers } from './kinds.ts'
import { type Target, writers } from './write-rows.ts'

export interface ImportOptions extends Target {
  path: string
  /** See Header. */
  secret: string
  /** The installation has another LECTERN_SECRET: credentials of sources are left out. */
  isOtherSecret: boolean
  progress(doing: 'looked through' | 'written' | 'compared', rows: number): void
}

const atOnce = 50

export interface Imported {
  /** What the archive holds. */
  sums: Sums
  /** Rows that are not in the target as the archive has them: none, unless the target was in use before. */
  differing: Map<Kind, number>
}

/**
 * Can be repeated: what is there already stays. Rejects with DomainError(invalid) on a file that is no whole archive, before
 * anything is written, and where the target has another row of the same slug, key or address.
 */
export async function importStore(options: ImportOptions): Promise<Imported> {
  const { header, sums } = await lookThrough(options)
  await writeAll(options)
  await finishIndex(options, header)
  return { sums, differing: await compare(options, header, sums) }
}

/** Checks that the archive is whole, so that nothing half is written. */
async function lookThrough({ path, secret, isOtherSecret, progress }: ImportOptions) {
  let header: Header | null = null
  let end: Sums | null = null
  const summer = createSummer()
  let rows = 0
  for await (const text of wholeLines(path)) {
    if (header === null) {
      header = readHeader(text)
      if (header === null) break
      continue
    }
    const line = readLine(text)
    if ('kind' in line) {
      summer.add(line.kind, text)
      rows += 1
      if (rows % 1_000 === 0) progress('looked through', rows)
    }
    if ('end' in line) end = line.end
  }
  if (header === null) throw new DomainError('invalid', 'The file is no archive of `lectern export`.')
  if (end === null || toLine({ end }) !== toLine({ end: summer.sums() })) {
    throw new DomainError('invalid', 'The archive is not whole: export it again.')
  }
  if (header.secret !== secret && !isOtherSecret) {
    throw new DomainError(
      'invalid',
      'LECTERN_SECRET is not that of the archive: set the same one, or say --other-secret to leave credentials of sources out (restore tokens of chats are void then).',
    )
  }
  return { header, sums: end }
}

function readLine(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    throw new DomainError('invalid', 'The archive is damaged: export it again.')
  }
}

/** Rows of one kind and owner are written some at a time. */
async function writeAll(options: ImportOptions) {
  let batch: RowLine[] = []
  let rows = 0
  const flush = async () => {
    if (batch.length > 0) await writeBatch(options, batch)
    rows += batch.length
    batch = []
    options.progress('written', rows)
  }
  for await (const text of wholeLines(options.path)) {
    const line = readLine(text)
    if ('kind' in line) {
      if (batch.length === atOnce || (batch[0] && batch[0].kind !== line.kind)) await flush()
      batch.push(asWritten(options, line))
      // A line between two parts ends the batch, so it is of one project.
    } else await flush()
  }
}

async function writeBatch(target: Target, batch: RowLine[]) {
  const write = writers[batch[0]!.kind] as (target: Target, rows: RowLine['row'][]) => Promise<void>
  const rows = batch.map(({ row }) => row)
  await write(target, rows).catch((error) => {
    if (!isConflict(error)) throw error
    const { kind } = batch[0]!
    const sentence = `A ${kind} of the archive and another one here have the same ${error.field}: remove one of them, and import again.`
    throw new DomainError('invalid', sentence)
  })
}

/** The row as it is kept here. Under another secret, nobody could read the credentials. */
function asWritten({ isOtherSecret }: Pick<ImportOptions, 'isOtherSecret'>, line: RowLine): RowLine {
  // Archives of earlier versions lack some fields.
  if (line.kind === 'run') {
    return { kind: 'run', row: { ...line.row, run: { ...{ sourcesFailed: 0 }, ...line.row.run } } }
  }
  if (line.kind === 'invitation') return { ...line, row: { ...{ creator: null }, ...line.row } }
  if (line.kind === 'recrawl') return { ...line, row: { ...{ detail: null, message: null }, ...line.row } }
  if (line.kind !== 'source') return line
  const { credentials, url, lastCrawledAt, lastError } = line.row
  const state = lastError ? 'failed' : lastCrawledAt === null ? 'pending' : 'ok'
  const row = { ...{ identity: url, options: {}, lastError: null, state }, ...line.row } as Source
  return { kind: 'source', row: { ...row, credentials: isOtherSecret ? null : credentials } }
}

async function finishIndex({ store, index }: Target, { parts }: Header) {
  for (const project of projectsOf(parts)) {
    await index.optimize(project)
    await store.vocabulary.write(project, encodeVocabulary(await index.vocabulary(project)))
  }
}

/** Reads the target back; answers how many rows of each kind are not there as the archive has them. */
async function compare(
  options: ImportOptions,
  { parts, at }: Header,
  sums: Sums,
): Promise<Map<Kind, number>> {
  const expected = new Set<string>()
  for await (const text of wholeLines(options.path)) {
    const line = readLine(text)
    if ('kind' in line) expected.add(hashOf(toLine(asWritten(options, line))))
  }
  const missing = new Map(Object.entries(sums).map(([kind, { count }]) => [kind as Kind, count]))
  let rows = 0
  for (const { kind, scope } of parts) {
    let next: Position = null
    do {
      const read: Read<unknown> = await readers[kind](options.store, scope ?? '', next, at)
      for (const row of read.rows) {
        if (expected.delete(hashOf(toLine({ kind, row } as RowLine))))
          missing.set(kind, missing.get(kind)! - 1)
      }
      rows += read.rows.length
      options.progress('compared', rows)
      next = read.next
    } while (next !== null)
  }
  return new Map([...missing].filter(([, count]) => count > 0))
}

function projectsOf(parts: Part[]): string[] {
  return parts.flatMap(({ kind, scope }) => (kind === 'page' && scope !== null ? [scope] : []))
}
