// What bodies of requests are: JSON, or a form. Either way its bytes become the value that readers read.
import { checkType, readJson } from './json/body.ts'
import { Refusal } from './refusal.ts'

export interface BodyKind {
  /** As `content-type` says it. */
  type: string
  /** Throws Refusal where headers say that the body is of another kind. */
  check(contentType: string, contentEncoding: string): void
  /** `maxValues`: how many values and names it may hold. Throws Refusal `invalid`. */
  read(bytes: Uint8Array, contentType: string, maxValues: number): unknown
}

export const jsonBody: BodyKind = {
  type: 'application/json',
  check: checkType,
  read: (bytes, _contentType, maxValues) => readJson(bytes, maxValues),
}

/** The same, where files would arrive as a form. */
export const jsonBodyWithoutFiles: BodyKind = {
  ...jsonBody,
  check(contentType, contentEncoding) {
    if (isForm(contentType)) throw noUploads()
    checkType(contentType, contentEncoding)
  },
}

/** A form of texts: `{"urls[]": ["https://…", "https://…"]}`. Fields that were left empty are left out. */
export const formBody: BodyKind = {
  type: 'multipart/form-data',
  check(contentType, contentEncoding) {
    if (isForm(contentType) && ['', 'identity'].includes(contentEncoding.toLowerCase())) return
    throw new Refusal('unsupported_media_type', 'The body must be multipart/form-data, not compressed.')
  },
  async read(bytes, contentType, maxValues) {
    if (bytes.length === 0) return {}
    const form = await readForm(bytes, contentType)
    const values = new Map<string, string[]>()
    let count = 0
    for (const [name, value] of form) {
      if (++count > maxValues)
        throw new Refusal('invalid', `The form must not have more than ${maxValues} fields.`)
      if (typeof value !== 'string') throw noUploads()
      if (value.trim() === '') continue
      const given = values.get(name)
      if (given) given.push(value.trim())
      else values.set(name, [value.trim()])
    }
    return Object.fromEntries(values)
  },
}

async function readForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new Refusal('invalid', 'The body is not valid multipart/form-data.')
  }
}

function isForm(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('multipart/form-data')
}

function noUploads(): Refusal {
  return new Refusal('unimplemented', 'This version of Lectern does not take uploads yet.')
}
