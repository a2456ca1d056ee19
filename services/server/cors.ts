// Browsers of any origin may call: keys travel in a header that a page must know, never in a cookie.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cors } from '@connectrpc/connect'

/** Node's request handler, for HTTP/1.1 and through the compatibility layer for HTTP/2. */
type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': cors.allowedMethods.join(', '),
  'access-control-allow-headers': [...cors.allowedHeaders, 'authorization', 'x-lectern-team'].join(', '),
  'access-control-max-age': '7200',
}

/** Answers preflights, and adds what a browser needs to every other answer. A request that is no HTTP gets a 400. */
export function allowOrigins(handle: NodeHandler): NodeHandler {
  return (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, preflight)
      response.end()
      return
    }
    if (request.headers.origin) {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-expose-headers', cors.exposedHeaders.join(', '))
    }
    try {
      handle(request, response)
    } catch {
      // The adapter throws at once where host and path make no address.
      response.writeHead(400)
      response.end()
    }
  }
}
