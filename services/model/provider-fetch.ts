// How the providers' clients reach the network: no redirects, no timeouts but our own, no answer without an end.
import { Agent, fetch } from 'undici'

/** Most bytes of one answer on the wire: some hundred times what a reader would read, events and thoughts counted. */
const mostBytes = 64 * 1024 * 1024

/**
 * A fetch for the providers' clients. A redirect is handed back as the answer it is: following it would send the key and
 * the passages to an address that nobody configured.
 */
export function createProviderFetch(): typeof globalThis.fetch {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: mostBytes })
  const ask = (url: string, init: object) => fetch(url, { ...init, redirect: 'manual', dispatcher })
  return ask as typeof globalThis.fetch
}
