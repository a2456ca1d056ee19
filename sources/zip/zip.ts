// Reads an archive that a stranger made: its directory is checked against itself before anything is inflated, and nothing
// inflates to more than it says.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import {
  type Entry,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  validateFileName,
  type ZipFile,
} from 'yauzl'

/** Where the archive's bytes are: in memory, a file, or a store. */
interface ZipBytes {
  size: number
  /** Exactly the bytes asked for; the range is within the size. */
  read(offset: number, length: number): Promise<Uint8Array>
}

interface ZipLimits {
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
  /** Where it lies: its local header, and the bytes packed behind that. */
  start: number
  packedSize: number
  isDeflated: boolean
  read(): Promise<Uint8Array>
}

/** The archive cannot be taken. The message is a sentence for people that goes on from a name: "… is encrypted". */
export class BadZip extends Error {}

/** Bytes of a local header before the entry's name. */
const localHeader = 30
/** Bytes that are read at once: the directory is asked for in crumbs. */
const windowSize = 64 * 1024
/** Set where a name is said to be in UTF-8. */
const utf8Flag = 0x800
/** Names nobody can ask for, which are left out: empty, with a segment that is empty or `.`, or with a character that no name has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const unclear = /^$|(?:^|\/)\.?(?:\/|$)|[\0-\x1f]/
const deflated = 8
const symlink = 0o120000
const fileType = 0o170000

/** The files in it by name; folders are left out. Rejects with BadZip, and with what `bytes` itself fails at. */
export async function openZip(
  bytes: ZipBytes | Uint8Array,
  limits: ZipLimits,
): Promise<Map<string, ZipEntry>> {
  const reader = new Reader(bytes instanceof Uint8Array ? inMemory(bytes) : bytes)
  const { zip, entries } = await readDirectory(reader, limits)
  checkPlaces(entries, reader.size)
  const files = new Map<string, ZipEntry>()
  let total = 0
  for (const entry of entries) {
    const { uncompressedSize: size } = entry
    const name = nameOf(entry)
    if (name.endsWith('/') || unclear.test(name)) continue
    checkEntry(entry, limits)
    total += size
    if (total > limits.maxTotal) throw new BadZip(`unpacks to more than ${megabytes(limits.maxTotal)}`)
    if (files.has(name)) throw new BadZip(`has two files named ${name}`)
    files.set(name, {
      ...{ name, size, crc32: entry.crc32 },
      start: entry.relativeOffsetOfLocalHeader,
      packedSize: entry.compressedSize,
      isDeflated: entry.compressionMethod === deflated,
      read: () => reader.orBad(readEntry(zip, entry)),
    })
  }
  return files
}

async function readDirectory(reader: Reader, { maxEntries }: ZipLimits) {
  const options = { autoClose: false, lazyEntries: true }
  const zip = await reader.orBad(fromRandomAccessReaderPromise(reader, reader.size, options))
  if (zip.entryCount > maxEntries)
    throw new BadZip(`has more than ${maxEntries.toLocaleString('en')} entries`)
  const entries: Entry[] = []
  const listed = zip.eachEntry()
  for (;;) {
    const { value, done } = await reader.orBad(listed.next())
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

/** Many archivers write UTF-8 without saying so, and some a `./` before each name. Throws BadZip for one that leads out. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag }: Entry): string {
  const isSaid = (generalPurposeBitFlag & utf8Flag) !== 0
  const isPlain = isSaid || fileName === fileNameRaw.toString('latin1') || !isUtf8(fileNameRaw)
  const name = (isPlain ? fileName : fileNameRaw.toString('utf8').replaceAll('\\', '/')).replace(
    /^(?:\.\/)+/,
    '',
  )
  const problem = validateFileName(name)
  if (problem !== null) throw new BadZip(`has a name that is not taken: ${problem}`)
  return name
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
  const local = await zip.readLocalFileHeaderPromise(entry)
  if (!local.fileName.equals(entry.fileNameRaw)) {
    throw new BadZip(`names ${entry.fileName} otherwise where its bytes are`)
  }
  const pieces: Buffer[] = []
  // The stream itself ends with an error where there is more, or less, than the directory says.
  for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  if (crc32(bytes) !== entry.crc32) throw new BadZip(`is damaged: ${entry.fileName} has another checksum`)
  return bytes
}

/** Reads ahead by one window. */
class Reader extends RandomAccessReader {
  readonly size: number
  readonly #bytes: ZipBytes
  #window = { start: 0, bytes: Buffer.alloc(0) }
  /** Why the bytes could not be had, which is no fault of the archive. */
  #failure: { cause: unknown } | null = null

  constructor(bytes: ZipBytes) {
    super()
    this.size = bytes.size
    this.#bytes = bytes
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false })
  }

  async *#pieces(start: number, end: number) {
    for (let at = start; at < end; ) {
      const piece = await this.#pieceAt(at, end)
      at += piece.length
      yield piece
    }
  }

  async #pieceAt(start: number, end: number): Promise<Buffer> {
    const known = this.#window
    if (start < known.start || start >= known.start + known.bytes.length) {
      const length = Math.min(windowSize, this.size - start)
      const bytes = await this.#bytes.read(start, length).catch((cause) => {
        this.#failure = { cause }
        throw cause
      })
      this.#window = { start, bytes: Buffer.from(bytes) }
    }
    const { start: from, bytes } = this.#window
    return bytes.subarray(start - from, end - from)
  }

  async orBad<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work
    } catch (error) {
      if (this.#failure) throw this.#failure.cause
      if (error instanceof BadZip || !(error instanceof Error)) throw error
      throw new BadZip(`is no ZIP archive that can be read: ${error.message.replace(/\.$/, '')}`)
    }
  }
}

function inMemory(bytes: Uint8Array): ZipBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
