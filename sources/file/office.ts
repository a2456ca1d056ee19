// Reads the parts of a DOCX or XLSX file, an archive of XML files. XML is parsed as a stream, without declared entities or external
// references, and with limited depth.
import { SaxesParser } from 'saxes'
import { decodeHtml } from '../../crawler/extract/charset.ts'
import { BadFile } from './formats.ts'
import { openZip, unpackEntry } from './zip.ts'

/** Maximum bytes of all parts that are read. Pictures are not read. */
const maxRead = 128 * 1024 * 1024
const limits = { maxEntries: 10_000, maxEntry: 64 * 1024 * 1024, maxTotal: 256 * 1024 * 1024 }

export type OfficeParts = Awaited<ReturnType<typeof openParts>>

/** Rejects with BadFile, and so does `read`. */
export async function openParts(body: Uint8Array) {
  const entries = await openZip(body, limits)
  let left = maxRead
  return {
    /** Returns whether the part exists. */
    async read(name: string, reader: XmlReader): Promise<boolean> {
      const entry = entries.get(name)
      if (entry === undefined) return false
      left -= entry.size
      if (left < 0) throw new BadFile('unpacks to more than 128 MB of text and tables')
      readXml(unpackEntry(body.subarray(entry.start), entry), name, reader)
      return true
    },
  }
}

const maxDepth = 1_000

/** Names have no namespace prefix. */
export interface XmlReader {
  open?(name: string, attributes: Record<string, string>): void
  /** `text`: the element's own text, without its children's. */
  close?(name: string, text: string, attributes: Record<string, string>): void
}

/** Throws BadFile. `part`: the name of the part, for messages. */
export function readXml(bytes: Uint8Array, part: string, reader: XmlReader): void {
  const parser = new SaxesParser()
  const open: { name: string; text: string; attributes: Record<string, string> }[] = []
  parser.on('doctype', () => {
    throw new BadFile(`declares a document type in ${part}, which is not allowed`)
  })
  parser.on('error', () => {
    throw new BadFile(`has a part that is no XML: ${part}`)
  })
  parser.on('opentag', (tag) => {
    const element = { name: localName(tag.name), text: '', attributes: toLocalNames(tag.attributes) }
    open.push(element)
    if (open.length > maxDepth) throw new BadFile(`nests too deep in ${part}`)
    reader.open?.(element.name, element.attributes)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => {
    const { name, text, attributes } = open.pop()!
    reader.close?.(name, text, attributes)
  })
  parser.write(decodeHtml(bytes, 'application/xml')).close()
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function toLocalNames(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]))
}
