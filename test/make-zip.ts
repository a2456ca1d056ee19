// Creates ZIP archives, including invalid ones.
import { crc32, deflateRawSync } from 'node:zlib'

export interface MadeEntry {
  name: string
  body: string | Uint8Array
  /** 8: deflated (the default), 0: stored; other values are only declared. */
  method?: number
  /** Replaces the compressed body. */
  packed?: Buffer
  /** Replace the true values. */
  size?: number
  crc?: number
  localName?: string
  flags?: number
  attributes?: number
  /** Whether the name is declared as UTF-8; it always is UTF-8. */
  isUtf8Said?: boolean
  /** The declared offset of the directory. */
  at?: number
}

export function makeZip(entries: MadeEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {
    name,
    body,
    method = 8,
    localName = name,
    flags = 0,
    attributes = 0,
    isUtf8Said = true,
    ...said
  } of entries) {
    const bytes = Buffer.from(body)
    const packed = said.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes)
    const size = said.size ?? bytes.length
    const crc = said.crc ?? crc32(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags | (isUtf8Said ? 0x800 : 0), 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([mark(0x04034b50), common, Buffer.from(localName), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(attributes, 6)
    rest.writeUInt32LE(said.at ?? offset, 10)
    directory.push(Buffer.concat([mark(0x02014b50), Buffer.from([63, 3]), common, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, listed, mark(0x06054b50), end])
}

function mark(letters: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(letters, 0)
  return bytes
}
