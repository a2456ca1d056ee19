// Serves the pages that a generator has written, like a documentation host.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

export interface FolderServer {
  /** Ends in a slash. */
  url: string
  close(): Promise<void>
}

/** `folders`: maps a prefix of the path to a folder. `change`: transforms a page before it is sent. */
export async function serveFolders(
  folders: Record<string, string>,
  change: (html: string) => string = (html) => html,
): Promise<FolderServer> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://localhost').pathname)
    const prefix = Object.keys(folders).find((each) => path.startsWith(each))
    const named = prefix && join(folders[prefix]!, path.slice(prefix.length))
    const file = [named, `${named}.html`, join(named ?? '', 'index.html')].find(
      (each) => each && extname(each) && existsSync(each),
    )
    if (!file) return response.writeHead(path === '/favicon.ico' ? 204 : 404).end()
    const type = types[extname(file)] ?? 'application/octet-stream'
    const body = await readFile(file)
    response
      .writeHead(200, { 'content-type': type })
      .end(type.startsWith('text/html') ? change(String(body)) : body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
