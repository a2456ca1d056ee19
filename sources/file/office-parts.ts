// The parts of a DOCX or XLSX file, which is an archive.
import { BadZip, openZip, type ZipEntry } from '../zip/zip.ts'
import { BadFile } from './bad-file.ts'
import { readXml, type XmlReader } from './xml.ts'

/** Bytes of a document's parts that are read; those of pictures are not. */
const maxRead = 128 * 1024 * 1024
const limits = { maxEntries: 10_000, maxEntry: 64 * 1024 * 1024, maxTotal: 256 * 1024 * 1024 }

export interface OfficeParts {
  /** Whether there was such a part. */
  read(name: string, reader: XmlReader): Promise<boolean>
}

/** Throws BadFile, here and in `read`. */
export async function openParts(body: Uint8Array): Promise<OfficeParts> {
  const entries = await orBadFile(openZip(body, limits))
  let left = maxRead
  return {
    async read(name, reader) {
      const entry: ZipEntry | undefined = entries.get(name)
      if (entry === undefined) return false
      left -= entry.size
      if (left < 0) throw new BadFile('unpacks to more than 128 MB of text and tables')
      readXml(await orBadFile(entry.read()), name, reader)
      return true
    },
  }
}

async function orBadFile<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BadZip) throw new BadFile(error.message)
    throw error
  }
}
