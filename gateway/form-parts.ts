// A form with files (multipart/form-data) as it comes: its parts in their order, the bytes of each file as they are asked for.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Refusal } from './refusal.ts'

type FormPart =
  | { name: string; value: string }
  | { name: string; fileName: string; pieces: AsyncIterable<Uint8Array> }

/** Fields and files that a form may have, bytes of a field, and of a name. */
const limits = { fields: 1_000, files: 1_000, fieldSize: 8_192, fieldNameSize: 200, headerPairs: 100 }

export interface Form {
  /** For one reader, who reads a file to its end, or leaves it, before the next part. Throws Refusal `invalid`. */
  parts(): AsyncGenerator<FormPart>
  /** Reads no further. */
  close(): void
}

/** Throws Refusal `invalid` where the type names no boundary. */
export function openForm(contentType: string, body: AsyncIterable<Uint8Array>): Form {
  const parser = createParser(contentType)
  const found: (FormPart & { stream?: Readable })[] = []
  let current: Readable | null = null
  let isOver = false
  /** What ended the reading early. */
  let fault: { reason: unknown } | null = null
  let wake = () => {}

  const tell = () => wake()
  const fail = (reason: unknown) => {
    fault ??= { reason: reason instanceof Refusal ? reason : toRefusal(reason) }
    current?.destroy()
    for (const { stream } of found) stream?.destroy()
    tell()
  }
  parser.on('field', (name: string | undefined, value, isNameCut, isValueCut) => {
    if (name === undefined) return fail(nameless())
    if (isNameCut || isValueCut) return fail(tooLong(isNameCut ? 'A name' : name))
    found.push({ name, value })
    tell()
  })
  parser.on('file', (name: string | undefined, stream, fileName) => {
    if (name === undefined) {
      stream.resume()
      return fail(nameless())
    }
    // An end that comes too early is told by the parser, too.
    stream.on('error', fail)
    found.push({ name, fileName: fileName ?? '', pieces: stream, stream })
    tell()
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => fail(new Refusal('invalid', 'The form has too many parts.')))
  pipeline(body, parser).then(() => {
    isOver = true
    tell()
  }, fail)

  async function* parts(): AsyncGenerator<FormPart> {
    for (;;) {
      if (fault) throw fault.reason
      const part = found.shift()
      if (part === undefined) {
        if (isOver) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      current = part.stream ?? null
      yield 'pieces' in part ? { ...part, pieces: whole(part.pieces, () => fault) } : part
      // What nobody read of it is passed over, for the next part comes behind it.
      current?.resume()
      current = null
    }
  }

  return { parts, close: () => fail(new Refusal('invalid', 'The form is read no further.')) }
}

/** A file that breaks off throws why. */
async function* whole(pieces: AsyncIterable<Uint8Array>, fault: () => { reason: unknown } | null) {
  try {
    yield* pieces
  } catch (error) {
    throw fault()?.reason ?? error
  }
  const broken = fault()
  if (broken) throw broken.reason
}

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch (error) {
    throw toRefusal(error)
  }
}

function tooLong(name: string): Refusal {
  const problem = `must not be longer than ${limits.fieldSize} bytes`
  return new Refusal('invalid', `${name} ${problem}.`, { [name]: [problem] })
}

function toRefusal(_reason: unknown): Refusal {
  return new Refusal('invalid', 'The body is not valid multipart/form-data.')
}

function nameless(): Refusal {
  return new Refusal('invalid', 'A part of the form has no name.')
}
