// Bytes of a request's body → JSON value (decisions.md section 3: 415 what is not JSON, 400 what is broken JSON).
import { Refusal } from '../refusal.ts'

/** Nobody nests deeper by hand; what reads the value further may recurse. */
const greatestDepth = 100

const types = /^application\/(json|[\w.+-]+\+json)$/

/** Throws Refusal `unsupported_media_type` where headers say that the body is not JSON in UTF-8. */
export function checkType(contentType: string, contentEncoding: string): void {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isJson = type === '' || types.test(type)
  const isUtf8 = charset === undefined || ['utf-8', 'utf8', '"utf-8"'].includes(charset)
  const isPlain = ['', 'identity'].includes(contentEncoding.toLowerCase())
  if (!isJson || !isUtf8 || !isPlain) {
    throw new Refusal(
      'unsupported_media_type',
      'The body must be JSON: content-type application/json, in UTF-8, not compressed.',
    )
  }
}

/** Reads the bytes; no byte at all counts as `{}`. Throws Refusal `invalid`. */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Refusal('invalid', 'The body is not valid JSON in UTF-8.')
  }
  if (isDeeper(value, greatestDepth)) {
    throw new Refusal('invalid', `The body must not be nested deeper than ${greatestDepth} levels.`)
  }
  return value
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}
