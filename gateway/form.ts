// Sends a form, which may have files, to the core. Parts are forwarded as they arrive: this process never holds a
// whole file.
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Message, MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { Busboy } from '@fastify/busboy'
import {
  type UploadFields,
  UploadFieldsSchema,
  type UploadSourcesRequest,
  type UploadSourcesRequestSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CallContext, CoreClient } from './core-client.ts'
import { Refusal } from './errors.ts'
import type { HttpRequest } from './http.ts'
import { readMessage } from './json/read.ts'
import { fromPath, type RestInput, type RestRow } from './rest-row.ts'

type Upload = MessageInitShape<typeof UploadSourcesRequestSchema>

/** Bytes of a file in one message to the core. */
const pieceSize = 256 * 1024

/** Parts of a form in both versions of REST. */
export const uploadParts = {
  'files[]': 'file',
  site_zip: 'site',
  site_name: 'site_name',
  base_url: 'base_url',
}

export const isMultipart = (contentType: string): boolean => /^multipart\/form-data\b/i.test(contentType)

/** Forms of v1, where JSON is not taken: URL-encoded is the default of many HTTP libraries if there are no files. */
export const isForm = (contentType: string): boolean =>
  isMultipart(contentType) || /^application\/x-www-form-urlencoded\b/i.test(contentType)

/** Rejects with Refusal if the body is not a valid form, else with the core's error. */
export async function sendForm(
  row: RestRow,
  request: HttpRequest,
  input: RestInput,
  { core, context }: { core: CoreClient; context: CallContext },
): Promise<Message> {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (!isForm(type) || !['', 'identity'].includes(encoding.toLowerCase()))
    throw new Refusal(
      'unsupported_media_type',
      'The body must be a form (multipart/form-data), not compressed.',
    )
  const { slug } = fromPath(row, input) as UploadSourcesRequest
  let fault: unknown = null
  async function* messages(): AsyncGenerator<Upload> {
    yield { slug }
    try {
      yield* toParts(row, readForm(type, request.pieces()))
      yield { finishWrite: true }
    } catch (error) {
      // All other errors are the parser's. If the core has refused the upload, the error is the core's.
      const isWorded = error instanceof Refusal || error instanceof ConnectError
      fault = isWorded ? error : new Refusal('invalid', 'The body is not a valid form.')
      // The core needs to know only that the upload ended early.
      throw new ConnectError('the upload broke off', Code.Canceled)
    }
  }
  return core.send(row.call, messages(), context).catch((error) => {
    throw fault ?? error
  })
}

async function* toParts(
  { parts = {}, ignoresUnknown = false }: RestRow,
  form: AsyncIterable<FormPart>,
): AsyncGenerator<Upload> {
  const fields: Record<string, string[]> = {}
  for await (const { name, value = '', fileName = '', file } of form) {
    const kind = Object.hasOwn(parts, name) ? parts[name]! : null
    // Browsers send an empty file input as a file without a name.
    if ((file ? fileName : value.trim()) === '') continue
    if (kind === null) {
      if (!ignoresUnknown) throw refuseField(name, 'unknown field')
    } else if (!file) {
      if (isFileKind(kind)) throw refuseField(name, 'must be a file')
      fields[kind] = [...(fields[kind] ?? []), value.trim()]
    } else {
      if (!isFileKind(kind)) throw refuseField(name, 'must not be a file')
      yield {
        part: kind === 'file' ? { case: 'file', value: { name: fileName } } : { case: 'site', value: {} },
      }
      for await (const piece of file as AsyncIterable<Uint8Array>) {
        for (let at = 0; at < piece.byteLength; at += pieceSize)
          yield { part: { case: 'data', value: piece.subarray(at, at + pieceSize) } }
      }
    }
  }
  yield { part: { case: 'fields', value: readFields(fields) } }
}

const isFileKind = (kind: string) => kind === 'file' || kind === 'site'

/** If a single-value field is repeated, the last value wins. */
function readFields(given: Record<string, string[]>): UploadFields {
  const isList = (name: string) =>
    UploadFieldsSchema.fields.some((field) => field.name === name && field.fieldKind === 'list')
  const json = Object.entries(given).map(([name, values]) => [name, isList(name) ? values : values.at(-1)])
  return readMessage(UploadFieldsSchema, Object.fromEntries(json)).message as UploadFields
}

function refuseField(name: string, problem: string): Refusal {
  const shortName = name.slice(0, 200).toWellFormed()
  return new Refusal('invalid', `${shortName}: ${problem}.`, { [shortName]: [problem] })
}

interface FormPart {
  name: string
  value?: string
  /** Of a file: its name in the browser, and its bytes. */
  fileName?: string
  file?: Readable
}

/** Maximum fields and files of a form, bytes of a field, and bytes of its name. */
const limits = { fields: 1_000, files: 1_000, fieldSize: 8_192, fieldNameSize: 200, headerPairs: 100 }

/**
 * Reads a form. The reader may skip a file; it asks for the next part only when it is done with the last. Throws Refusal
 * or an error of the parser, also while a file is read.
 */
async function* readForm(contentType: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<FormPart> {
  const parser = new Busboy({ headers: { 'content-type': contentType }, limits })
  const found = new PassThrough({ objectMode: true })
  // Avoids an uncaught error: the reader gets it, perhaps later.
  found.on('error', () => {})
  let current: Readable | undefined

  function fail(error: Error): void {
    current?.destroy(error)
    found.destroy(error)
  }
  parser.on('field', (name: string | undefined, value, isNameCut, isValueCut) => {
    if (name === undefined || isNameCut) fail(new Error('a field has no name, or a long one'))
    else if (isValueCut) fail(refuseField(name, `must not be longer than ${limits.fieldSize} bytes`))
    else found.write({ name, value })
  })
  parser.on('file', (name: string | undefined, file, fileName) => {
    // Avoids an uncaught error, if the file is not read.
    file.on('error', fail)
    if (name !== undefined) return found.write({ name, fileName: fileName ?? '', file })
    file.resume()
    fail(new Error('a file has no name'))
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => fail(new Refusal('invalid', 'The form has too many parts.')))
  pipeline(body, parser).then(() => found.end(), fail)

  for await (const part of found as AsyncIterable<FormPart>) {
    current = part.file
    yield part
    // Skips unread bytes, because the next part follows them.
    current?.resume()
  }
}
