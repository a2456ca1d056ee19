// Reads an untrusted ZIP archive. Checks that its directory is consistent before it inflates anything. No entry inflates to
// more than its declared size.
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { crc32, inflateRawSync } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, validateFileName } from 'yauzl'
import { BadFile } from './formats.ts'

interface ZipLimits {
  maxEntries: number
  /** Maximum bytes of one entry, inflated. */
  maxEntry: number
  /** Maximum bytes of all entries, inflated. */
  maxTotal: number
}

export interface ZipEntry {
  /** Relative path with slashes, without `.` and `..`. */
  name: string
  /** Bytes, inflated. */
  size: number
  /** CRC-32 of the inflated bytes from the directory. */
  crc32: number
  /** Offset of its local header. The compressed bytes follow it. */
  start: number
  packedSize: number
  isDeflated: boolean
  /** As the archive spells it, one character for each byte. */
  rawName: string
}

/** Bytes of a local header before the entry's name. */
const localHeader = 30
const localMark = 0x04034b50
/** Flag of a name that is declared as UTF-8. */
const utf8Flag = 0x800
/** Names that cannot be addresses, and are omitted: empty, with an empty segment or `.`, or with a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const unclear = /^$|(?:^|\/)\.?(?:\/|$)|[\0-\x1f]/
const deflated = 8
const symlink = 0o120000
const fileType = 0o170000

/**
 * Returns the files in an archive by name, without folders. `bytes`: the archive, or the end of an archive of `size` bytes that
 * contains the directory. Rejects with BadFile.
 */
export async function openZip(
  bytes: Uint8Array,
  limits: ZipLimits,
  size = bytes.length,
): Promise<Map<string, ZipEntry>> {
  const reader = new EndReader(bytes, size)
  const entries = await readDirectory(reader, size, limits)
  checkPlaces(entries, size)
  const files = new Map<string, ZipEntry>()
  let total = 0
  for (const entry of entries) {
    const { uncompressedSize } = entry
    const name = readName(entry)
    if (name.endsWith('/') || unclear.test(name)) continue
    checkEntry(entry, limits)
    total += uncompressedSize
    if (total > limits.maxTotal) throw new BadFile(`unpacks to more than ${megabytes(limits.maxTotal)}`)
    if (files.has(name)) throw new BadFile(`has two files named ${name}`)
    files.set(name, {
      ...{ name, size: uncompressedSize, crc32: entry.crc32 },
      start: entry.relativeOffsetOfLocalHeader,
      packedSize: entry.compressedSize,
      isDeflated: entry.compressionMethod === deflated,
      rawName: entry.fileNameRaw.toString('latin1'),
    })
  }
  return files
}

async function readDirectory(reader: EndReader, size: number, { maxEntries }: ZipLimits) {
  const options = { autoClose: false, lazyEntries: true }
  const zip = await orBadFile(fromRandomAccessReaderPromise(reader, size, options))
  if (zip.entryCount > maxEntries)
    throw new BadFile(`has more than ${maxEntries.toLocaleString('en')} entries`)
  const entries: Entry[] = []
  const listed = zip.eachEntry()
  for (;;) {
    const { value, done } = await orBadFile(listed.next())
    if (done) return entries
    entries.push(value)
  }
}

/** Refuses entries that share bytes: with them, a small archive can inflate to any size. */
function checkPlaces(entries: Entry[], size: number): void {
  let end = 0
  for (const entry of entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end) throw new BadFile('has entries that share the same bytes')
    end = entry.relativeOffsetOfLocalHeader + localHeader + entry.fileNameRaw.length + entry.compressedSize
  }
  if (end > size) throw new BadFile('is cut off')
}

/** Many programs write UTF-8 without the flag, and some write `./` before names. Throws BadFile if the path leaves the archive. */
function readName({ fileName, fileNameRaw, generalPurposeBitFlag }: Entry): string {
  const isSaid = (generalPurposeBitFlag & utf8Flag) !== 0
  const isPlain = isSaid || fileName === fileNameRaw.toString('latin1') || !isUtf8(fileNameRaw)
  const name = (isPlain ? fileName : fileNameRaw.toString('utf8').replaceAll('\\', '/')).replace(
    /^(?:\.\/)+/,
    '',
  )
  const problem = validateFileName(name)
  if (problem !== null) throw new BadFile(`has an invalid name: ${problem}`)
  return name
}

function checkEntry(entry: Entry, { maxEntry }: ZipLimits): void {
  const { fileName: name } = entry
  if (entry.isEncrypted()) throw new BadFile('is encrypted')
  if (((entry.externalFileAttributes >>> 16) & fileType) === symlink)
    throw new BadFile(`holds a link: ${name}`)
  if (!entry.canDecodeFileData()) throw new BadFile(`packs ${name} in a way that is not known here`)
  if (entry.uncompressedSize > maxEntry)
    throw new BadFile(`holds ${name}, which is above ${megabytes(maxEntry)}`)
}

/** Returns the inflated content. `bytes` begin with the entry's local header. Throws BadFile. */
export function unpackEntry(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const { name, size, packedSize, isDeflated, rawName } = entry
  const local = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (local.length < localHeader || local.readUInt32LE(0) !== localMark)
    throw new BadFile(`is damaged at ${name}`)
  const nameEnd = localHeader + local.readUInt16LE(26)
  if (local.toString('latin1', localHeader, nameEnd) !== rawName)
    throw new BadFile(`names ${name} otherwise where its bytes are`)
  const start = nameEnd + local.readUInt16LE(28)
  const packed = local.subarray(start, start + packedSize)
  if (packed.length !== packedSize) throw new BadFile(`is damaged at ${name}`)
  try {
    const body = isDeflated ? inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }) : packed
    if (body.length === size && crc32(body) === entry.crc32) return new Uint8Array(body)
  } catch {
    // Larger than declared, or invalid.
  }
  throw new BadFile(`is damaged: ${name} does not match its directory`)
}

class EndReader extends RandomAccessReader {
  readonly #bytes: Uint8Array
  readonly #start: number

  constructor(bytes: Uint8Array, size: number) {
    super()
    this.#bytes = bytes
    this.#start = size - bytes.length
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, end), { objectMode: false })
  }

  *#read(start: number, end: number) {
    if (start < this.#start) throw new BadFile('has a directory that is too large')
    yield this.#bytes.subarray(start - this.#start, end - this.#start)
  }
}

async function orBadFile<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BadFile || !(error instanceof Error)) throw error
    throw new BadFile(`is no ZIP archive that can be read: ${error.message.replace(/\.$/, '')}`)
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
