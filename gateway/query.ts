// Reads the query string into parameters, and parameters into fields of a message.
import type { DescField } from '@bufbuild/protobuf'
import type { FieldErrors } from './errors.ts'
import { enumNames, enumNumber } from './json/write.ts'

/** Parameters by name. The first of a repeated name wins: later ones belong to an address that was pasted unencoded. */
export type Query = ReadonlyMap<string, string>

const maxInt32 = 2 ** 31 - 1

/**
 * Reads the part after the question mark. Never throws: old clients send unescaped text.
 *
 *   q=100%25+sure&url=https://x.org/?a=1&limit=5  →  q: "100% sure", url: "https://x.org/?a=1", limit: "5"
 *   q=100% sure                                   →  q: "100% sure" (no valid escape: read literally)
 */
export function readQuery(raw: string): Query {
  const query = new Map<string, string>()
  for (const part of raw.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (!query.has(name)) query.set(name, equals < 0 ? '' : decode(part.slice(equals + 1)))
  }
  return query
}

/**
 * The same, but `url` may be an unescaped address. If it has a question mark, it extends to the end.
 *
 *   q=x&limit=5&url=https://x.org/?limit=9&version=2  →  q: "x", limit: "5", url: "https://x.org/?limit=9&version=2"
 */
export function readPastedQuery(raw: string): Query {
  const [, before, address] = /^(.*?)(?<=^|&)url=([^&?]*\?.*)$/s.exec(raw) ?? []
  if (address === undefined) return readQuery(raw)
  const query = new Map(readQuery(before!))
  return query.has('url') ? query : query.set('url', decode(address))
}

/** `+` is a space; escapes that are not UTF-8 stay as they are. */
function decode(text: string): string {
  return undoEscapes(text.replaceAll('+', ' ')).toWellFormed()
}

/** Decodes percent escapes as UTF-8 and keeps invalid ones unchanged. Never throws. */
export function undoEscapes(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}

/**
 * Reads parameters into fields of the same names. An empty parameter counts as absent. Adds faults to `faults`.
 * Returns the values by the fields' local names.
 */
export function readParameters(
  fields: readonly DescField[],
  query: Query,
  faults: FieldErrors,
): Record<string, unknown> {
  const init: Record<string, unknown> = {}
  for (const field of fields) {
    const text = query.get(field.name)
    if (text === undefined || (text === '' && !field.enum && !isNumber(field))) continue
    const value = readParameter(field, text)
    if (typeof value === 'object' && 'fault' in value) faults[field.name] = [value.fault]
    else init[field.localName] = value
  }
  return init
}

type Parameter = string | number | string[] | { fault: string }

function readParameter(field: DescField, text: string): Parameter {
  if (field.fieldKind === 'list') return text.split(',').map((item) => item.trim())
  if (field.enum) {
    return enumNumber(field.enum, text) ?? { fault: `must be one of ${enumNames(field.enum).join(', ')}` }
  }
  if (!isNumber(field)) return text
  const from = field.name === 'limit' ? 1 : 0
  const value = /^\d+$/.test(text) ? Number(text) : -1
  return value >= from ? Math.min(value, maxInt32) : { fault: `must be a whole number from ${from}` }
}

function isNumber(field: DescField): boolean {
  return field.fieldKind === 'scalar' && field.scalar === 5
}
