// The header lines of a request → the headers that the gateway reads.
import { type HeaderName, headerNames } from './http.ts'

/** With a second line of these, a proxy before us might understand another request than we do. */
const single = new Set([
  'host',
  'authorization',
  'content-length',
  'content-type',
  'origin',
  'transfer-encoding',
])

interface ReadHeaders {
  /** Lines of one name are one header, joined in their order. */
  headers: Record<HeaderName, string>
  /** What `content-length` says; null without it. */
  contentLength: number | null
  /** Why the request is refused, for a person; null where it is not. */
  fault: string | null
}

/** `forEach` is uWebSockets.js's: names in lower case. */
export function readHeaders(forEach: (each: (name: string, value: string) => void) => void): ReadHeaders {
  const lines = new Map<string, string>(headerNames.map((name) => [name, '']))
  const seen = new Set<string>()
  let fault: string | null = null
  forEach((name, value) => {
    if (single.has(name) && seen.has(name)) fault = `The header ${name} must be sent once.`
    lines.set(name, seen.has(name) ? `${lines.get(name)}, ${value}` : value)
    seen.add(name)
  })
  const coding = lines.get('transfer-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    fault = 'The header transfer-encoding must be: chunked.'
  }
  const length = lines.get('content-length')
  return {
    headers: Object.fromEntries(headerNames.map((name) => [name, lines.get(name)])) as ReadHeaders['headers'],
    contentLength: length === undefined ? null : Number(length),
    fault,
  }
}
