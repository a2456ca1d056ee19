// How the providers' clients reach the network: no redirects, no timeouts but our own, no answer without an end.

import pTimeout from 'p-timeout'
import { Agent, type Dispatcher } from 'undici'

/** Most bytes of one answer on the wire: some hundred times what a reader would read, events and thoughts counted. */
const maxBytes = 64 * 1024 * 1024

type Content = Dispatcher.ResponseData['body']

/**
 * A Response for the providers' clients whose body is read as a stream of Node: as a web stream, each token of an answer
 * would pass a dozen promises before anyone reads it.
 */
export class ProviderResponse extends Response {
  /** In place of `body`, which is null. */
  readonly content: Content
  override readonly text = () => this.content.text()
  override readonly json = () => this.content.json()

  constructor(content: Content, init: ResponseInit) {
    super(null, init)
    // Who reads it is told, too.
    this.content = content.on('error', () => {})
  }
}

/**
 * A fetch for the providers' clients; its responses are ProviderResponses. A redirect is handed back as the answer it is:
 * following it would send the key and the passages to an address that nobody configured. The signal's abort ends the
 * request whatever it waits for.
 */
export function createProviderFetch(): typeof globalThis.fetch {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxBytes })
  return async (url, { method, headers, body, signal } = {}) => {
    const { origin, pathname, search } = new URL(String(url))
    signal?.throwIfAborted()
    const asked = agent.request({
      ...{ origin, path: pathname + search, method: method as Dispatcher.HttpMethod },
      ...{ headers: headers as Headers, body: body as string, signal: signal ?? null },
    })
    // While it connects, undici does not hear its signal.
    const answer = await (signal
      ? pTimeout(asked, { milliseconds: Number.POSITIVE_INFINITY, signal })
      : asked)
    const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return new ProviderResponse(answer.body, { status: answer.statusCode, headers: named })
  }
}
