// The process that serves crawled sites: pages from memory, conditional requests, no compression, and a log of every
// request. Its arguments are the mounts; it communicates with open-site.ts over the channel from fork.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Mount, openMount } from './mount.ts'
import type { Request } from './open-site.ts'

const mounts = (JSON.parse(process.argv[2]!) as Mount[]).map((mount) => ({
  path: mount.path,
  find: openMount(mount),
}))
let requests: Request[] = []

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const path = decodeURI(request.url ?? '/').split('?')[0]!
  const mount = mounts.find((each) => path.startsWith(each.path))
  const page = mount?.find(path.slice(mount.path.length) || 'index.html') ?? null
  const isKnown = page !== null && request.headers['if-none-match'] === page.etag
  const status = page === null ? 404 : isKnown ? 304 : 200
  requests.push({ path, status, at: Date.now() })
  if (page === null) {
    response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 9 }).end('not found')
    return
  }
  const validators = { etag: page.etag, 'last-modified': page.lastModified }
  if (isKnown) {
    response.writeHead(304, validators).end()
    return
  }
  response.writeHead(200, {
    ...validators,
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.body.length,
  })
  response.end(page.body)
})

server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port })
})
process.on('message', () => {
  process.send!({ requests })
  requests = []
})
process.on('disconnect', () => process.exit())
