// How the providers' clients reach the network: no redirects, no timeouts but our own, no answer without an end.
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Agent, request } from 'undici'

/** Most bytes of one answer on the wire: some hundred times what a reader would read, events and thoughts counted. */
const mostBytes = 64 * 1024 * 1024

/**
 * What a provider answers. Its body is a Node stream, which is read without a promise a piece: as a web stream each token
 * of an answer would cost several times as much.
 */
export class ProviderResponse extends Response {
  /** For one reader, unless `text` or `json` reads it. */
  readonly stream: Readable
  override readonly text = () => text(this.stream)
  override readonly json = async () => JSON.parse(await this.text())

  constructor(stream: Readable, init: ResponseInit) {
    super(null, init)
    this.stream = stream
  }
}

/**
 * A fetch for the providers' clients; its responses are ProviderResponses. A redirect is handed back as the answer it is:
 * following it would send the key and the passages to an address that nobody configured.
 */
export function createProviderFetch(): typeof globalThis.fetch {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: mostBytes })
  return async (url, { method, headers, body, signal } = {}) => {
    const answer = await request(String(url), {
      dispatcher,
      method: method as 'POST',
      headers: new Headers(headers),
      body: body as string,
      signal: signal!,
    })
    const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    return new ProviderResponse(answer.body, {
      status: answer.statusCode,
      headers: named as [string, string][],
    })
  }
}
