// Reads a Git pack (gitformat-pack(5), version 2) to its objects. Runs in a parse thread: packs may lie, so that every size is
// counted before it is believed, and an object's name is the hash of what was read.
import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'

export interface GitObject {
  type: 'commit' | 'tree' | 'blob' | 'tag'
  body: Buffer
}

/** A sentence for people. */
export class BadPack extends Error {
  /** Whether it would go well with less. */
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

interface PackLimits {
  /** Of one object. */
  maxObject: number
  /** Maximum bytes of all unpacked objects and of the deltas that wait for their base. */
  maxBytes: number
  maxObjects: number
}

const types: Record<number, GitObject['type']> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const ofsDelta = 6
const refDelta = 7
const headerLength = 12
const hashLength = 20

/** Objects by their names. Throws BadPack. */
export function readPack(pack: Buffer, limits: PackLimits): Map<string, GitObject> {
  if (pack.length < headerLength + hashLength || pack.toString('latin1', 0, 4) !== 'PACK') {
    throw new BadPack('The server sent no pack.')
  }
  const count = pack.readUInt32BE(8)
  if (pack.readUInt32BE(4) !== 2) throw new BadPack('The server sent a pack of another version.')
  if (count > limits.maxObjects) throw new BadPack(`The pack holds more than ${limits.maxObjects} objects.`)
  const byOffset = new Map<number, GitObject>()
  const byName = new Map<string, GitObject>()
  const waiting: { offset: number; base: string; delta: Buffer }[] = []
  let room = limits.maxBytes

  function take(bytes: number) {
    room -= bytes
    if (room < 0) throw new BadPack(`The pack holds more than ${limits.maxBytes} bytes.`, true)
  }

  function keep(offset: number, object: GitObject) {
    take(object.body.length)
    byOffset.set(offset, object)
    byName.set(toObjectName(object), object)
  }

  let at = headerLength
  for (let left = count; left > 0; left--) {
    const offset = at
    const head = readHead(pack, at)
    at = head.end
    if (head.size > limits.maxObject)
      throw new BadPack(`An object has more than ${limits.maxObject} bytes.`, true)
    let base: GitObject | undefined
    let baseName: string | null = null
    if (head.type === ofsDelta) {
      const back = readBack(pack, at)
      at = back.end
      base = byOffset.get(offset - back.distance)
    } else if (head.type === refDelta) {
      baseName = pack.toString('hex', at, at + hashLength)
      at += hashLength
      base = byName.get(baseName)
    }
    const { body, length } = inflate(pack, at, head.size)
    at += length
    const type = types[head.type]
    if (type !== undefined) keep(offset, { type, body })
    else if (base !== undefined) keep(offset, applyDelta(base, body, limits.maxObject))
    else if (baseName !== null) {
      take(body.length)
      waiting.push({ offset, base: baseName, delta: body })
    } else throw new BadPack('The pack names an object that it does not hold.')
  }
  for (let found = true; found && waiting.length > 0; ) {
    found = false
    for (const { offset, base, delta } of waiting.splice(0)) {
      const known = byName.get(base)
      if (known === undefined) waiting.push({ offset, base, delta })
      else {
        keep(offset, applyDelta(known, delta, limits.maxObject))
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

/** Three bits of type, and the size in seven bits a byte, the lowest first; the first byte holds four of them. */
function readHead(pack: Buffer, start: number): { type: number; size: number; end: number } {
  let at = start
  let byte = byteAt(pack, at++)
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let factor = 16; byte & 128; factor *= 128) {
    byte = byteAt(pack, at++)
    size += (byte & 127) * factor
    if (size > Number.MAX_SAFE_INTEGER) throw new BadPack('The pack is damaged.')
  }
  return { type, size, end: at }
}

function readBack(pack: Buffer, start: number): { distance: number; end: number } {
  let at = start
  let byte = byteAt(pack, at++)
  let distance = byte & 127
  while (byte & 128) {
    byte = byteAt(pack, at++)
    distance = (distance + 1) * 128 + (byte & 127)
    if (distance > pack.length) throw new BadPack('The pack is damaged.')
  }
  return { distance, end: at }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new BadPack('The pack is cut off.')
  return byte
}

/** `length`: bytes that the packed form takes. */
function inflate(pack: Buffer, at: number, size: number): { body: Buffer; length: number } {
  try {
    // One more than it says, so that a lie is seen.
    const chunkSize = Math.max(64, Math.min(size + 1, 64 * 1024))
    const options = { info: true, maxOutputLength: size + 1, chunkSize }
    const { buffer, engine } = inflateSync(pack.subarray(at), options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    if (buffer.length === size) return { body: buffer, length: engine.bytesWritten }
  } catch {
    // Said below, as a wrong size is.
  }
  throw new BadPack('The pack is damaged: an object is not as long as it says.')
}

/** Copies of the base and insertions in turn, as gitformat-pack(5) has them. */
function applyDelta(base: GitObject, delta: Buffer, maxObject: number): GitObject {
  const from = readSize(delta, 0)
  const to = readSize(delta, from.end)
  if (from.size !== base.body.length)
    throw new BadPack('The pack is damaged: a change does not fit what it changes.')
  if (to.size > maxObject) throw new BadPack(`An object has more than ${maxObject} bytes.`, true)
  const body = Buffer.alloc(to.size)
  let written = 0
  for (let at = to.end; at < delta.length; ) {
    const code = byteAt(delta, at++)
    let piece: Buffer
    if (code & 128) {
      const field = (bits: number[]) =>
        bits.reduce((sum, bit, place) => (code & bit ? sum + byteAt(delta, at++) * 256 ** place : sum), 0)
      const offset = field([1, 2, 4, 8])
      const size = field([16, 32, 64]) || 0x10000
      piece = base.body.subarray(offset, offset + size)
      if (piece.length !== size)
        throw new BadPack('The pack is damaged: a change does not fit what it changes.')
    } else {
      if (code === 0) throw new BadPack('The pack is damaged: it holds a change of no kind.')
      piece = delta.subarray(at, at + code)
      at += code
    }
    if (written + piece.length > body.length)
      throw new BadPack('The pack is damaged: a change is longer than it says.')
    written += piece.copy(body, written)
  }
  if (written !== body.length) throw new BadPack('The pack is damaged: a change is shorter than it says.')
  return { type: base.type, body }
}

function readSize(delta: Buffer, start: number): { size: number; end: number } {
  let at = start
  let size = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = byteAt(delta, at++)
    size += (byte & 127) * factor
    if (size > Number.MAX_SAFE_INTEGER) throw new BadPack('The pack is damaged.')
    if (!(byte & 128)) return { size, end: at }
  }
}
