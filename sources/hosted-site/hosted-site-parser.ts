// Work for hosted sites in the parse threads: reads the directory of an archive, unpacks its pages, and parses each as a web page.
import { crc32, inflateRawSync } from 'node:zlib'
import { BadFile } from '../file/formats.ts'
import { openZip, type ZipEntry } from '../file/zip.ts'
import type { SourceParser } from '../source-type.ts'
import { webParser } from '../web/web-parser.ts'

const limits = {
  maxEntries: 20_000,
  /** Large, because it also applies to videos and fonts, which are not read. */
  maxEntry: 250 * 1024 * 1024,
  maxTotal: 2 * 1024 * 1024 * 1024,
}
/** Bytes of a local header before the entry's name. */
const localHeader = 30

export interface ArchivedPage {
  path: string
  contentType: string
  size: number
  crc32: number
  start: number
  packedSize: number
  isDeflated: boolean
}

/** The result of a task, or a phrase that follows the archive's name and says why it failed. */
export type Answer<Result> = { result: Result } | { refused: string }

export const hostedSiteParser: SourceParser = {
  parse: webParser.parse,
  tasks: {
    pages: (tail: Uint8Array, size: number) => look(tail, size, (pages) => pages),
    check: (tail: Uint8Array, size: number) => look(tail, size, (pages) => pages.length),
    unpack,
  },
}

/** `tail`: the end of an archive of `size` bytes. */
async function look<Result>(
  tail: Uint8Array,
  size: number,
  answer: (pages: ArchivedPage[]) => Result,
): Promise<Answer<Result>> {
  try {
    const pages = toPages(await openZip(tail, limits, size))
    const hasPage = pages.some(({ contentType }) => contentType === 'text/html')
    return hasPage ? { result: answer(pages) } : { refused: 'holds no HTML page' }
  } catch (error) {
    if (!(error instanceof BadFile)) throw error
    return { refused: error.message }
  }
}

/** Content types by extension, as web servers have them. */
const contentTypes: [RegExp, string][] = [
  [/\.x?html?$/i, 'text/html'],
  [/\.(?:md|markdown)$/i, 'text/markdown'],
  [/\.txt$/i, 'text/plain'],
]

/** The pages, and text files that they may link to. Paths are relative to the folder that all files share. */
function toPages(files: Map<string, ZipEntry>): ArchivedPage[] {
  const names = [...files.keys()].filter((name) => !/(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/.test(name))
  const root = commonFolder(names).length
  return names.flatMap((name) => {
    const contentType = contentTypes.find(([ending]) => ending.test(name))?.[1]
    if (contentType === undefined) return []
    const { size, crc32, start, packedSize, isDeflated } = files.get(name)!
    return { path: name.slice(root), contentType, size, crc32, start, packedSize, isDeflated }
  })
}

/** The folder that all names share, with a trailing slash, or ''. */
function commonFolder([first = '', ...others]: string[]): string {
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  for (const name of others)
    while (!name.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}

/** `bytes` begin with the local header of the page. Returns its content, or a phrase that describes the fault. */
function unpack(
  bytes: Uint8Array,
  { path, size, crc32: sum, packedSize, isDeflated }: ArchivedPage,
): Uint8Array | string {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (header.length < localHeader || header.readUInt32LE(0) !== 0x04034b50) return `is damaged at ${path}`
  const begin = localHeader + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = header.subarray(begin, begin + packedSize)
  if (packed.length !== packedSize) return `is damaged at ${path}`
  try {
    const body = isDeflated ? inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }) : packed
    if (body.length === size && crc32(body) === sum) return new Uint8Array(body)
  } catch {
    // Larger than declared, or invalid.
  }
  return `is damaged: ${path} does not match its directory`
}
