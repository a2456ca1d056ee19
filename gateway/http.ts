// Requests and responses as plain objects, independent of uWebSockets.js.

// Maximum size of a request's address and headers together, in bytes. uWebSockets.js reads it from the environment when it
// is loaded, so uws.ts imports this module first. Its default of 4 KiB is too small for an old widget's search query.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(16 * 1024)

/** Headers that the gateway reads. Others are not copied. */
export const headerNames = [
  'host',
  'authorization',
  'content-type',
  'content-encoding',
  'expect',
  'origin',
  'if-none-match',
  'x-client-ip',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-lectern-team',
  'x-chat-restore-token',
  'accept',
  'accept-encoding',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'x-mcp-client-name',
  'x-mcp-client-version',
] as const

export type HeaderName = (typeof headerNames)[number]

export interface HttpRequest {
  /** Upper case. */
  method: string
  /** As sent, with percent escapes. */
  path: string
  /** The part after the question mark, as sent, or ''. */
  query: string
  /** '' if a header was not sent. */
  headers: Record<HeaderName, string>
  /** Network address of the peer. */
  peer: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
  /** Reads the whole body. Rejects with Refusal `too_large` above the limit, or if the client is gone. */
  body(): Promise<Uint8Array>
  /** Reads the body as it arrives, instead of `body()`, if the route streams. Rejects if the client is gone. */
  pieces(): AsyncIterable<Uint8Array>
}

export type Encoding = 'br' | 'gzip'

export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** Sent instead of `body`, piece by piece. `return` is called if the client is gone. If it throws, the connection is closed. */
  stream?: AsyncGenerator<string | Uint8Array>
  /** Caches the compressed forms of a constant body. Without it, each response is compressed again. */
  encoded?: Map<Encoding, Promise<Uint8Array>>
}

export function toJson(status: number, value: unknown, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** Headers that must not repeat: a proxy and the gateway could read a repeated one differently. */
const single = new Set([
  'host',
  'authorization',
  'content-length',
  'content-type',
  'origin',
  'transfer-encoding',
])

interface ReadHeaders {
  /** Repeated lines of one name are joined in order. */
  headers: Record<HeaderName, string>
  /** The value of `content-length`, 0 if there is no body, or null if it is unknown. */
  contentLength: number | null
  /** Why the request is refused, for a person, or null. */
  fault: string | null
}

/** Reads the header lines of a request. `forEach`: from uWebSockets.js, with names in lower case. */
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
  const length = lines.get('content-length') ?? (coding === undefined ? 0 : null)
  return {
    headers: Object.fromEntries(headerNames.map((name) => [name, lines.get(name)])) as ReadHeaders['headers'],
    contentLength: length === null ? null : Number(length),
    fault,
  }
}
