// XML inside documents of offices, read as a stream: no entities of its own, nothing is fetched, nothing nests without end.
import { SaxesParser } from 'saxes'
import { decodeHtml } from '../../crawler/extract/charset.ts'
import { BadFile } from './bad-file.ts'

const maxDepth = 1_000

export interface XmlReader {
  /** Names are without their prefixes. */
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

/** Throws BadFile; `part` names what is read. */
export function readXml(bytes: Uint8Array, part: string, reader: XmlReader): void {
  const parser = new SaxesParser()
  let depth = 0
  parser.on('doctype', () => {
    throw new BadFile(`declares a document type in ${part}, which no office writes`)
  })
  parser.on('error', () => {
    throw new BadFile(`has a part that is no XML: ${part}`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > maxDepth) throw new BadFile(`nests too deep in ${part}`)
    reader.open?.(localName(name), toLocalNames(attributes))
  })
  parser.on('text', (text) => reader.text?.(text))
  parser.on('closetag', ({ name }) => {
    depth -= 1
    reader.close?.(localName(name))
  })
  parser.write(decodeHtml(bytes, 'application/xml')).close()
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function toLocalNames(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]))
}
