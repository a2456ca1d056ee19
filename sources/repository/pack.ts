// Reads the objects of a Git pack (gitformat-pack(5), version 2), in a parse thread. Packs are untrusted: every declared size is
// checked against a limit and the actual size, and an object's name is computed from its content.
import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { UnreadableSource } from '../source-type.ts'

export interface GitObject {
  type: 'commit' | 'tree' | 'blob' | 'tag'
  body: Buffer
}

/** The server's response is invalid or too large. `isTooLarge`: whether a smaller request may succeed. */
export class BadPack extends UnreadableSource {
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(`The repository could not be read. ${message}`)
    this.isTooLarge = isTooLarge
  }
}

interface PackLimits {
  /** Maximum bytes of one object. */
  maxObject: number
  /** Maximum bytes of all unpacked objects and of pending deltas. */
  maxBytes: number
  maxObjects: number
}

const types: Record<number, GitObject['type']> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
/** A delta that names its base. Those with an offset in place of the name are not requested. */
const refDelta = 7
const headerLength = 12
const hashLength = 20

/** Returns object name → object. Throws BadPack. */
export function readPack(pack: Buffer, limits: PackLimits): Map<string, GitObject> {
  if (pack.length < headerLength + hashLength || pack.toString('latin1', 0, 4) !== 'PACK') {
    throw new BadPack('The server sent no pack.')
  }
  const count = pack.readUInt32BE(8)
  if (pack.readUInt32BE(4) !== 2) throw new BadPack('The server sent a pack of another version.')
  if (count > limits.maxObjects) throw new BadPack(`The pack holds more than ${limits.maxObjects} objects.`)
  const byName = new Map<string, GitObject>()
  const waiting: { base: string; delta: Buffer }[] = []
  let room = limits.maxBytes

  function take(bytes: number) {
    room -= bytes
    if (room < 0) throw new BadPack(`The pack holds more than ${limits.maxBytes} bytes.`, true)
  }

  function keep(object: GitObject) {
    take(object.body.length)
    byName.set(toObjectName(object), object)
  }

  const bytes = createCursor(pack, headerLength)
  for (let left = count; left > 0; left--) {
    // Three bits of type, then the size.
    const first = bytes.byte()
    const code = (first >> 4) & 7
    const size = readSize(bytes, first, 4)
    if (size > limits.maxObject) throw new BadPack(`An object has more than ${limits.maxObject} bytes.`, true)
    const type = types[code]
    if (type !== undefined) keep({ type, body: inflate(bytes, size) })
    else if (code === refDelta) {
      const base = bytes.take(hashLength).toString('hex')
      const delta = inflate(bytes, size)
      const known = byName.get(base)
      if (known !== undefined) keep(applyDelta(known, delta, limits.maxObject))
      else {
        take(delta.length)
        waiting.push({ base, delta })
      }
    } else throw new BadPack('The pack has an object of an unknown type.')
  }
  for (let found = true; found && waiting.length > 0; ) {
    found = false
    for (const { base, delta } of waiting.splice(0)) {
      const known = byName.get(base)
      if (known === undefined) waiting.push({ base, delta })
      else {
        keep(applyDelta(known, delta, limits.maxObject))
        room += delta.length
        found = true
      }
    }
  }
  return byName
}

export function toObjectName({ type, body }: GitObject): string {
  return createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex')
}

/** Reads one byte after the other. Throws BadPack at the end. */
function createCursor(buffer: Buffer, at = 0) {
  return {
    buffer,
    at,
    byte() {
      const byte = buffer[this.at++]
      if (byte === undefined) throw new BadPack('The pack is cut off.')
      return byte
    },
    take(length: number) {
      this.at += length
      return buffer.subarray(this.at - length, this.at)
    },
  }
}

type Cursor = ReturnType<typeof createCursor>

/** A little-endian varint. The first byte has `bits` bits of the size, further bytes seven. The eighth bit means that a byte follows. */
function readSize(bytes: Cursor, first = bytes.byte(), bits = 7): number {
  let factor = 2 ** bits
  let size = first & (factor - 1)
  for (let byte = first; byte & 128; factor *= 128) {
    byte = bytes.byte()
    size += (byte & 127) * factor
    if (size > Number.MAX_SAFE_INTEGER) throw new BadPack('The pack is damaged.')
  }
  return size
}

function inflate(bytes: Cursor, size: number): Buffer {
  try {
    // One byte more than declared, to detect a wrong size.
    const chunkSize = Math.max(64, Math.min(size + 1, 64 * 1024))
    const options = { info: true, maxOutputLength: size + 1, chunkSize }
    const { buffer, engine } = inflateSync(bytes.buffer.subarray(bytes.at), options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    bytes.at += engine.bytesWritten
    if (buffer.length === size) return buffer
  } catch {
    // Throws below, as for a wrong size.
  }
  throw new BadPack('The pack is damaged: an object has another length than declared.')
}

/** Applies the copies and insertions of a delta, as in gitformat-pack(5). */
function applyDelta(base: GitObject, delta: Buffer, maxObject: number): GitObject {
  const bytes = createCursor(delta)
  const misfit = 'The pack is damaged: a delta does not match its base.'
  if (readSize(bytes) !== base.body.length) throw new BadPack(misfit)
  const size = readSize(bytes)
  if (size > maxObject) throw new BadPack(`An object has more than ${maxObject} bytes.`, true)
  const body = Buffer.alloc(size)
  let written = 0
  while (bytes.at < delta.length) {
    const code = bytes.byte()
    if (code === 0) throw new BadPack('The pack is damaged: a delta has an unknown instruction.')
    let piece = code & 128 ? null : bytes.take(code)
    if (piece === null) {
      const field = (bits: number[]) =>
        bits.reduce((sum, bit, place) => (code & bit ? sum + bytes.byte() * 256 ** place : sum), 0)
      const offset = field([1, 2, 4, 8])
      const length = field([16, 32, 64]) || 0x10000
      piece = base.body.subarray(offset, offset + length)
      if (piece.length !== length) throw new BadPack(misfit)
    }
    if (written + piece.length > size)
      throw new BadPack('The pack is damaged: a delta is longer than declared.')
    written += piece.copy(body, written)
  }
  if (written !== size) throw new BadPack('The pack is damaged: a delta is shorter than declared.')
  return { type: base.type, body }
}
