// Bytes of a request's body → JSON value.
import { Refusal } from '../refusal.ts'

/** Nobody nests deeper by hand; what reads the value further may recurse. */
const maxDepth = 100

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

/**
 * Reads the bytes; no byte at all counts as `{}`. `maxValues`: how many values and names it may hold. Throws Refusal
 * `invalid`.
 */
export function readJson(bytes: Uint8Array, maxValues: number): unknown {
  if (bytes.length === 0) return {}
  refuseLarge(bytes, maxValues)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Refusal('invalid', 'The body is not valid JSON in UTF-8.')
  }
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Looks at the marks between values alone: a megabyte of small values takes a hundred times as long to parse as to count. */
function refuseLarge(bytes: Uint8Array, maxValues: number): void {
  let depth = 0
  let values = 1
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isText = !isText
    else if (isText) at += byte === backslash ? 1 : 0
    else if (byte === comma || byte === colon) values++
    else if (byte === openList || byte === openObject) {
      depth++
      values++
    } else if (byte === closeList || byte === closeObject) depth--
    if (depth > maxDepth) {
      throw new Refusal('invalid', `The body must not be nested deeper than ${maxDepth} levels.`)
    }
    if (values > maxValues) {
      throw new Refusal('invalid', `The body must not hold more than ${maxValues} names and values.`)
    }
  }
}
