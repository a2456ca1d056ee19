// A site of another origin with the strictest Content Security Policy under which the widget must work.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site {
  url: string
  close(): Promise<unknown>
}

/** Used ports: a browser keeps what a page on such a port has stored. */
const given = new Set<number>()

/** Answers every path with a page that contains the markup and the widget's script. */
export async function openSite(
  server: string,
  markup: string,
  html = '<html lang="en">',
  /** Additional directives of the policy. */
  directives: string[] = [],
): Promise<Site> {
  const policy = [
    "default-src 'none'",
    `script-src ${server}`,
    "style-src 'self'",
    `connect-src ${server} ${server.replace('http', 'ws')}`,
    "trusted-types 'none'",
    "require-trusted-types-for 'script'",
    ...directives,
  ].join('; ')
  const page = `<!doctype html>${html}<head><meta charset="utf-8"><title>Guide</title></head>
    <body><h1>Guide</h1><input id="own"><div id="editor" contenteditable="true">text</div>
    ${markup}<script async src="${server}/widget.js"></script></body></html>`
  const site: Server = createServer((request, response) => {
    const isPage = request.url?.startsWith('/favicon') === false
    response.writeHead(isPage ? 200 : 204, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    response.end(isPage ? page : undefined)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  const close = () => new Promise((resolve) => site.close(resolve))
  if (given.has(port)) return close().then(() => openSite(server, markup, html, directives))
  given.add(port)
  return {
    url: `http://localhost:${port}/guide/`,
    close,
  }
}
