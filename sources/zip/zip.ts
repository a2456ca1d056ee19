// Reads an archive that a stranger made: its directory is checked against itself before anything is inflated, and nothing
// inflates to more than it says.
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** Where the archive's bytes are: in memory, a file, or a store. */
export interface ZipBytes {
  size: number
  /** Exactly the bytes asked for; the range is within the size. */
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface ZipLimits {
  maxEntries: number
  /** Bytes of one entry, inflated. */
  maxEntry: number
  /** Bytes of all entries, inflated. */
  maxTotal: number
}

export interface ZipEntry {
  /** Relative, parted by slashes, without `.` and `..`. */
  name: string
  /** Bytes, inflated. */
  size: number
  /** CRC-32 of the inflated bytes, as the directory says; `read` refuses what has another. */
  crc32: number
  read(): Promise<Uint8Array>
}

/** The archive cannot be taken. The message is a sentence for people that goes on from a name: "… is encrypted". */
export class BadZip extends Error {}

/** Bytes of a local header before the entry's name. */
const localHeader = 30
const pieceSize = 64 * 1024
const symlink = 0o120000
const fileType = 0o170000

/** The files in it by name; folders are left out. Rejects with BadZip. */
export async function openZip(
  bytes: ZipBytes | Uint8Array,
  limits: ZipLimits,
): Promise<Map<string, ZipEntry>> {
  const source = bytes instanceof Uint8Array ? inMemory(bytes) : bytes
  const { zip, entries } = await readDirectory(source, limits)
  checkPlaces(entries, source.size)
  const files = new Map<string, ZipEntry>()
  let total = 0
  for (const entry of entries) {
    const { fileName: name, uncompressedSize: size } = entry
    if (name.endsWith('/')) continue
    checkEntry(entry, limits)
    total += size
    if (total > limits.maxTotal) throw new BadZip(`unpacks to more than ${megabytes(limits.maxTotal)}`)
    if (files.has(name)) throw new BadZip(`has two files named ${name}`)
    files.set(name, { name, size, crc32: entry.crc32, read: () => readEntry(zip, entry) })
  }
  return files
}

async function readDirectory(source: ZipBytes, { maxEntries }: ZipLimits) {
  const entries: Entry[] = []
  const zip = await orBad(
    fromRandomAccessReaderPromise(new Reader(source), source.size, { autoClose: false, lazyEntries: true }),
  )
  if (zip.entryCount > maxEntries)
    throw new BadZip(`has more than ${maxEntries.toLocaleString('en')} entries`)
  const listed = zip.eachEntry()
  for (;;) {
    const { value, done } = await orBad(listed.next())
    if (done) return { zip, entries }
    entries.push(value)
  }
}

/** Entries that share bytes make a small archive unpack to anything. */
function checkPlaces(entries: Entry[], size: number): void {
  let end = 0
  for (const entry of entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end) throw new BadZip('has entries that share the same bytes')
    end = entry.relativeOffsetOfLocalHeader + localHeader + entry.fileNameRaw.length + entry.compressedSize
  }
  if (end > size) throw new BadZip('is cut off')
}

function checkEntry(entry: Entry, { maxEntry }: ZipLimits): void {
  const { fileName: name } = entry
  if (entry.isEncrypted()) throw new BadZip('is encrypted')
  if (((entry.externalFileAttributes >>> 16) & fileType) === symlink)
    throw new BadZip(`holds a link: ${name}`)
  if (!entry.canDecodeFileData()) throw new BadZip(`packs ${name} in a way that is not known here`)
  if (entry.uncompressedSize > maxEntry)
    throw new BadZip(`holds ${name}, which is above ${megabytes(maxEntry)}`)
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const local = await orBad(zip.readLocalFileHeaderPromise(entry))
  if (!local.fileName.equals(entry.fileNameRaw)) {
    throw new BadZip(`names ${entry.fileName} otherwise where its bytes are`)
  }
  const pieces: Buffer[] = []
  const stream = await orBad(zip.openReadStreamPromise(entry))
  // The stream itself ends with an error where there is more, or less, than the directory says.
  await orBad(
    (async () => {
      for await (const piece of stream) pieces.push(piece as Buffer)
    })(),
  )
  const bytes = Buffer.concat(pieces)
  if (crc32(bytes) !== entry.crc32) throw new BadZip(`is damaged: ${entry.fileName} has another checksum`)
  return bytes
}

async function orBad<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BadZip || !(error instanceof Error)) throw error
    throw new BadZip(`is no ZIP archive that can be read: ${error.message}`)
  }
}

class Reader extends RandomAccessReader {
  readonly source: ZipBytes

  constructor(source: ZipBytes) {
    super()
    this.source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(piecesOf(this.source, start, end), { objectMode: false })
  }
}

async function* piecesOf(source: ZipBytes, start: number, end: number) {
  for (let at = start; at < end; at += pieceSize) {
    yield Buffer.from(await source.read(at, Math.min(pieceSize, end - at)))
  }
}

function inMemory(bytes: Uint8Array): ZipBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
