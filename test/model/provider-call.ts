// A request that the scripted provider received, and the actions of a script or a test.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Dialect, End } from './dialect.ts'

export interface ProviderCall {
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: any JSON, inspected by tests
  body: any
  /** Milliseconds since 1970 when the request was complete. */
  at: number
  /** Settles when the answer is over: `aborted` if the client disconnected before its end. */
  closed: Promise<'ended' | 'aborted'>
  /** Milliseconds since 1970; null while it is open. */
  closedAt: number | null

  /** Sends status 200 without text. */
  open(): void
  /** Sends new text of the answer. Settles when the system has accepted it. */
  token(text: string): Promise<void>
  /** Sends reasoning of the model, which is never part of the answer. */
  reasoning(text: string): Promise<void>
  refusal(text: string): Promise<void>
  /** Ends the answer in the provider's format; null omits the reason. */
  end(reason?: End | null): Promise<void>
  /** Sends an error event in mid-stream. */
  error(message?: string): Promise<void>
  /** Sends raw bytes: broken events, fragments of events. */
  raw(bytes: string | Uint8Array): Promise<void>
  /** Ends the response at once, without the provider's closing events. */
  hangUp(): void
  /** Closes the connection in mid-stream; sent data arrives. */
  drop(): void
  /** Resets the connection: sent data may be lost, too. */
  reset(): void
  /** Answers with a status and the provider's error body, which contains the caller's key, as some providers do. */
  status(code: number, headers?: Record<string, string>): void
  /** Answers with JSON. */
  json(body: unknown): void
  /** The wire format of the answer's events. */
  dialect: Dialect
}

export function createProviderCall(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  dialect: Dialect,
): ProviderCall {
  const open = () => {
    if (response.headersSent) return
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
  }
  /** Writing to a disconnected client is not an error: the script continues without effect. */
  const raw = async (bytes: string | Uint8Array) => {
    if (response.destroyed || response.writableEnded) return
    open()
    await new Promise((taken) => response.write(bytes, taken))
  }
  const call: ProviderCall = {
    path: request.url ?? '',
    headers: request.headers,
    body,
    at: Date.now(),
    closedAt: null,
    closed: new Promise((settle) => {
      response.once('close', () => {
        call.closedAt = Date.now()
        settle(response.writableFinished ? 'ended' : 'aborted')
      })
    }),
    open,
    raw,
    dialect,
    token: (text) => raw(dialect.token(text)),
    reasoning: (text) => raw(dialect.reasoning(text)),
    refusal: (text) => raw(dialect.refusal(text)),
    error: (message = 'the scripted provider failed') => raw(dialect.error(message)),
    async end(reason = 'stop') {
      await raw(dialect.end(reason))
      response.end()
    },
    hangUp() {
      open()
      response.end()
    },
    drop() {
      request.socket.destroy()
    },
    reset() {
      request.socket.resetAndDestroy()
    },
    status(code, headers = {}) {
      const key = request.headers.authorization ?? request.headers['x-api-key']
      const message = `scripted ${code} for ${key} at ${request.headers.host}`
      response.writeHead(code, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ type: 'error', error: { type: 'scripted', code, message } }))
    },
    json(answer) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    },
  }
  return call
}
