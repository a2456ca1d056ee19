// A small documentation site for tests: pages in memory, served on an address of this machine, which the test can change while it runs.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface Site {
  /** Base address with a closing slash. */
  url: string
  /** Path → HTML, or a custom handler. A path that is missing here returns 404. */
  pages: Map<string, string | Handler>
  /** Requested paths in order, each with the time. */
  requests: { path: string; at: number; headers: IncomingMessage['headers'] }[]
  close(): Promise<void>
}

export async function openSite(
  pages: Record<string, string | Handler> = {},
  host = '127.0.0.1',
): Promise<Site> {
  const table = new Map(Object.entries(pages))
  const requests: Site['requests'] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    requests.push({ path, at: performance.now(), headers: request.headers })
    const page = table.get(path)
    if (typeof page === 'function') return page(request, response)
    const type = path.endsWith('.txt')
      ? 'text/plain'
      : path.endsWith('.xml')
        ? 'application/xml'
        : 'text/html'
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` })
    response.end(page ?? 'not found')
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://${host}:${port}/`,
    pages: table,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A page with a heading, paragraphs and links. */
export function htmlPage(title: string, text: string, links: string[] = []): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1 id="top">${title}</h1><p>${text}</p><ul>${list}</ul></main></body></html>`
}
