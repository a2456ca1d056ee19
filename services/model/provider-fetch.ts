// How the providers' clients reach the network: no redirects, no timeouts but our own, no answer without an end.
import { Agent, type Dispatcher } from 'undici'
import { createProviderBody, type ProviderBody, ProviderResponse } from './provider-response.ts'

/** Most bytes of one answer on the wire: some hundred times what a reader would read, events and thoughts counted. */
const maxBytes = 64 * 1024 * 1024

/**
 * A fetch for the providers' clients; its responses are ProviderResponses. A redirect is handed back as the answer it is:
 * following it would send the key and the passages to an address that nobody configured. The signal's abort ends the
 * request whatever it waits for.
 */
export function createProviderFetch(): typeof globalThis.fetch {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxBytes })
  return (url, init = {}) => ask(agent, new URL(String(url)), init)
}

function ask(
  agent: Agent,
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: RequestInit,
): Promise<ProviderResponse> {
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | null = null
    let answer: ProviderBody | null = null
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => {
      reject(signal.reason)
      request?.abort(signal.reason)
    })
    agent.dispatch(
      {
        origin,
        path: pathname + search,
        method: method as Dispatcher.HttpMethod,
        headers: headers as Headers,
        body: body as string,
      },
      {
        onRequestStart(controller) {
          request = controller
          if (signal?.aborted) controller.abort(signal.reason)
        },
        onResponseStart(controller, status, told) {
          if (status < 200) return
          answer = createProviderBody(controller)
          const named = Object.entries(told).map(([name, value]): [string, string] => [name, String(value)])
          resolve(new ProviderResponse(answer, { status, headers: named }))
        },
        onResponseData: (_, chunk) => answer!.push(chunk),
        onResponseEnd: () => answer!.end(null),
        onResponseError(_, error) {
          reject(error)
          answer?.end(error)
        },
      },
    )
  })
}
