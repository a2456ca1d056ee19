// A request and an answer as the router sees them: plain objects, nothing of uWebSockets.js.

/** Headers that the gateway reads; others are not copied. */
export const headerNames = [
  'host',
  'authorization',
  'content-type',
  'content-encoding',
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
  /** As sent, percent escapes and all. */
  path: string
  /** The part after the question mark, as sent; '' where there is none. */
  query: string
  /** '' where it was not sent. */
  headers: Record<HeaderName, string>
  /** Network address of the peer. */
  peer: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
  /** The whole body. Throws Refusal `too_large` above the limit; rejects when the client is gone. */
  body(): Promise<Uint8Array>
  /** The body as it comes, in place of that, where the route streams. Rejects when the client is gone. */
  pieces(): AsyncIterable<Uint8Array>
}

export type Encoding = 'br' | 'gzip'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** Keeps the compressed forms of a body that never changes; without it, each answer is compressed anew. */
  encoded?: Map<Encoding, Promise<Uint8Array>>
}
