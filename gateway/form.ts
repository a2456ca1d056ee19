// A form with files (multipart/form-data) on its way to the core: each part is sent on as it comes, so that no file is ever
// whole in this process.

import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create, type Message } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import {
  type UploadFields,
  UploadFieldsSchema,
  type UploadSourcesRequest,
  UploadSourcesRequestSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CallContext, CoreClient } from './core-client.ts'
import { Refusal } from './errors.ts'
import type { HttpRequest } from './http.ts'
import { readMessage } from './json/read.ts'
import { fromPath, type RestInput, type Row } from './rest-row.ts'

/** Bytes that a message to the core carries. */
const pieceSize = 256 * 1024

/** Parts of a form of every version. */
export const uploadParts = {
  'files[]': 'file',
  site_zip: 'site',
  site_name: 'site_name',
  base_url: 'base_url',
}

type Part = UploadSourcesRequest['part']

export function isForm(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('multipart/form-data')
}

/** Throws Refusal where the form is at fault, else what the core throws. */
export async function sendForm(
  row: Row,
  request: HttpRequest,
  input: RestInput,
  { core, context }: { core: CoreClient; context: CallContext },
): Promise<Message> {
  const form = openForm(request.headers['content-type'], request.pieces())
  const { slug } = fromPath(row, input) as UploadSourcesRequest
  let fault: unknown = null
  async function* messages() {
    yield create(UploadSourcesRequestSchema, { slug })
    try {
      for await (const part of toParts(row, form)) yield create(UploadSourcesRequestSchema, { part })
      yield create(UploadSourcesRequestSchema, { finishWrite: true })
    } catch (error) {
      fault = error
      // The core is told no more than that nothing follows.
      throw new ConnectError('the upload broke off', Code.Canceled)
    }
  }
  try {
    return await core.send(row.call, messages(), context)
  } catch (error) {
    throw fault ?? error
  } finally {
    form.close()
  }
}

async function* toParts({ parts = {}, ignoresUnknown = false }: Row, form: Form): AsyncGenerator<Part> {
  const fields: Record<string, string[]> = {}
  for await (const part of form.parts()) {
    const kind = Object.hasOwn(parts, part.name) ? parts[part.name]! : null
    const isFile = 'pieces' in part
    // Browsers send an input of files that was left empty as a file without a name.
    if (isFile ? part.fileName === '' : part.value.trim() === '') continue
    if (kind === null) {
      if (!ignoresUnknown) throw refuseField(part.name, 'unknown field')
    } else if (!isFile) {
      if (isFileKind(kind)) throw refuseField(part.name, 'must be a file')
      fields[kind] = [...(fields[kind] ?? []), part.value.trim()]
    } else {
      if (!isFileKind(kind)) throw refuseField(part.name, 'must not be a file')
      yield kind === 'file'
        ? { case: 'file', value: { name: part.fileName } as never }
        : { case: 'site', value: {} as never }
      for await (const piece of part.pieces) yield* toData(piece)
    }
  }
  yield { case: 'fields', value: readFields(fields) }
}

const isFileKind = (kind: string) => kind === 'file' || kind === 'site'

function* toData(piece: Uint8Array): Generator<Part> {
  for (let at = 0; at < piece.byteLength; at += pieceSize)
    yield { case: 'data', value: piece.subarray(at, at + pieceSize) }
}

/** A field that takes one value has its last. */
function readFields(given: Record<string, string[]>): UploadFields {
  const isList = (name: string) =>
    UploadFieldsSchema.fields.some((field) => field.name === name && field.fieldKind === 'list')
  const json = Object.entries(given).map(([name, values]) => [name, isList(name) ? values : values.at(-1)])
  return readMessage(UploadFieldsSchema, Object.fromEntries(json)).message as UploadFields
}

function refuseField(name: string, problem: string): Refusal {
  const shown = name.slice(0, 200).toWellFormed()
  return new Refusal('invalid', `${shown}: ${problem}.`, { [shown]: [problem] })
}

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
