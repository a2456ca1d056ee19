// An archive is a file of JSON lines:
//
//   {"archive": 2, "at": "…", "secret": "…"}       first line: the header
//   {"kind": "project", "row": {…}}                one line for each row (kinds.ts)
//   {"end": {"team": 1, "project": 2, …}}          last line: the number of rows of each kind
import { createHmac } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { DomainError, isConflict } from '../errors.ts'
import { encodeVocabulary } from '../search/vocabulary.ts'
import type { Store } from '../store/store.ts'
import { type Kind, type RowLine, readStore, type Target, writers } from './kinds.ts'

const archiveVersion = 2
/** Lines per write to the file, and rows per write to the store. */
const batchSize = 50
const lineEnd = 0x0a

/** The number of rows of each kind. */
export type Counts = Partial<Record<Kind, number>>

interface Header {
  archive: number
  at: string
  /** Identifies the LECTERN_SECRET of the installation without revealing it. */
  secret: string
}

type Line = Header | RowLine | { end: Counts }

/** Identifies the LECTERN_SECRET of an archive without revealing it. */
export const toArchiveSecret = (secret: Buffer): string =>
  createHmac('sha256', secret).update('archive of lectern export').digest('hex').slice(0, 16)

interface ArchiveOptions {
  store: Store
  secret: string
  now(): Date
  /** Called with the number of rows written so far. */
  progress(rows: number): void
}

/** Yields the text of an archive in batches of lines, and counts its rows in `counts`. */
export async function* writeArchive(options: ArchiveOptions, counts: Counts = {}): AsyncGenerator<string> {
  const { store, secret, now, progress } = options
  let rows = 0
  const at = now().toISOString()
  const toText = (line: Line) => `${JSON.stringify(line)}\n`
  let lines = [toText({ archive: archiveVersion, at, secret })]
  for await (const line of readStore(store, at)) {
    lines.push(toText(line))
    counts[line.kind] = (counts[line.kind] ?? 0) + 1
    rows += 1
    if (lines.length < batchSize && line.kind !== 'blob') continue
    yield lines.join('')
    progress(rows)
    lines = []
  }
  yield [...lines, toText({ end: counts })].join('')
}

export interface ExportOptions extends ArchiveOptions {
  /** Path of the archive. The incomplete file has the name `{path}.part`. */
  path: string
}

export async function exportStore({ path, ...options }: ExportOptions): Promise<Counts> {
  const part = `${path}.part`
  // An existing file may have the mode and owner of another user.
  await rm(part, { force: true })
  const counts: Counts = {}
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(writeArchive(options, counts), file)
  await rename(part, path)
  return counts
}

export interface ImportOptions extends Target {
  path: string
  secret: string
  /** Whether the installation has another LECTERN_SECRET. The import then omits credentials of sources. */
  isOtherSecret: boolean
  progress(doing: 'checked' | 'written', rows: number): void
}

/**
 * Can be repeated: does not change existing rows. Rejects with DomainError(invalid), before it writes anything if the file is not
 * a complete archive, or later if the target has another row with the same slug, key or address.
 */
export async function importStore(options: ImportOptions): Promise<Counts> {
  const counts = await checkArchive(options)
  await writeRows(options)
  return counts
}

async function checkArchive({ path, secret, isOtherSecret, progress }: ImportOptions): Promise<Counts> {
  const counts: Counts = {}
  let rows = 0
  const lines = readLines(path)
  const { value: header } = await lines.next()
  if (!header || !('archive' in header) || header.archive !== archiveVersion) throw noArchive()
  let end: Counts | null = null
  for await (const line of lines) {
    if ('kind' in line) {
      counts[line.kind] = (counts[line.kind] ?? 0) + 1
      rows += 1
      if (rows % 1_000 === 0) progress('checked', rows)
    }
    if ('end' in line) end = line.end
  }
  if (!isDeepStrictEqual(end, counts))
    throw new DomainError('invalid', 'The archive is incomplete: export it again.')
  if (header.secret !== secret && !isOtherSecret)
    throw new DomainError(
      'invalid',
      'LECTERN_SECRET is not that of the archive: set the same one, or use --other-secret to omit credentials of sources (restore tokens of chats become invalid).',
    )
  return counts
}

async function writeRows(options: ImportOptions): Promise<void> {
  const { path, store, index, isOtherSecret, progress } = options
  const projects: string[] = []
  let batch: RowLine[] = []
  let written = 0
  async function flush() {
    if (batch.length > 0) await writeBatch(options, batch)
    written += batch.length
    progress('written', written)
    batch = []
  }
  const lines = readLines(path)
  for await (const line of lines) {
    if (!('kind' in line)) continue
    // The rows of a project begin with the project itself, so a batch never has pages of two projects.
    if (batch.length === batchSize || batch[0]?.kind !== line.kind) await flush()
    if (line.kind === 'project') projects.push(line.row.uuid)
    // The credentials cannot be decrypted with another secret.
    if (line.kind === 'source' && isOtherSecret) line.row.credentials = null
    if (line.kind === 'blob') await store.blobs.put(line.row.blob, readPieces(line.row, lines))
    else batch.push(line)
  }
  await flush()
  for (const project of projects) {
    await index.optimize(project)
    await store.vocabulary.write(project, encodeVocabulary(await index.vocabulary(project)))
  }
}

async function writeBatch(target: Target, batch: RowLine[]): Promise<void> {
  const { kind } = batch[0]!
  const write = writers[kind as keyof typeof writers] as (target: Target, rows: unknown[]) => Promise<void>
  const rows = batch.map(({ row }) => row)
  await write(target, rows).catch((error) => {
    if (!isConflict(error)) throw error
    const sentence = `A ${kind} of the archive and another one here have the same ${error.field}: remove one of them, and import again.`
    throw new DomainError('invalid', sentence)
  })
}

/** Yields the pieces of an uploaded file. `first` has been read already. */
async function* readPieces(first: BlobRow, lines: AsyncIterator<Line>): AsyncGenerator<Uint8Array> {
  for (let piece = first; ; ) {
    yield Buffer.from(piece.bytes, 'base64')
    if (piece.isLast) return
    const { value: line } = await lines.next()
    if (!line || !('kind' in line) || line.kind !== 'blob' || line.row.blob !== first.blob) throw noArchive()
    piece = line.row
  }
}

type BlobRow = Extract<RowLine, { kind: 'blob' }>['row']

/**
 * Yields the complete lines of a file. Ignores an incomplete last line. Only `\n` ends a line: node:readline also splits at
 * other separators, which documentation may contain.
 */
async function* readLines(path: string): AsyncGenerator<Line> {
  let pieces: Buffer[] = []
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
      const bytes = Buffer.concat([...pieces, chunk.subarray(from, at)])
      pieces = []
      from = at + 1
      yield readLine(bytes.toString())
    }
    pieces.push(chunk.subarray(from))
  }
}

function readLine(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    throw noArchive()
  }
}

const noArchive = () =>
  new DomainError('invalid', 'The file is no archive of `lectern export`, or it is damaged: export it again.')
