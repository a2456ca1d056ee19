// A form with files on its way to the core: each part is sent on as it comes, so that no file is ever whole in this process.

import type { Message } from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  type UploadFields,
  UploadFieldsSchema,
  type UploadSourcesRequest,
  UploadSourcesRequestSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CallContext, CoreClient } from './core-client.ts'
import { type Form, openForm } from './form-parts.ts'
import type { HttpRequest } from './http.ts'
import { readMessage } from './json/read.ts'
import { Refusal } from './refusal.ts'
import { fromPath } from './rest-read.ts'
import type { RestInput, Row } from './rest-row.ts'

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
