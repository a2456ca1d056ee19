// Reads the query string into parameters, and parameters into JSON.
import { type DescField, ScalarType } from '@bufbuild/protobuf'

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
 * The parameters of these fields as JSON. An empty one counts as absent unless it is a number. A number above int32
 * counts as the maximum.
 */
export function toQueryJson(fields: readonly DescField[], query: Query): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const field of fields) {
    const text = query.get(field.name)
    const isNumber = field.fieldKind === 'scalar' && field.scalar === ScalarType.INT32
    if (text === undefined || (text === '' && !isNumber)) continue
    if (field.fieldKind === 'list') json[field.name] = text.split(',').map((item) => item.trim())
    else json[field.name] = isNumber && /^-?\d+$/.test(text) ? Math.min(Number(text), maxInt32) : text
  }
  return json
}
