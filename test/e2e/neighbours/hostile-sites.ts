// The process that serves hostile sites and one normal site, each on its own port. It sends all addresses by name
// over the channel from fork.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { gzipSync } from 'node:zlib'

interface Answer {
  type: string
  body: string | Buffer
  /** The body is already compressed with gzip. */
  isPacked?: boolean
}

type Site = (path: string) => Answer | null

const html = (body: string): Answer => ({ type: 'text/html; charset=utf-8', body })
const plain = (body: string): Answer => ({ type: 'text/plain; charset=utf-8', body })

/** A start page that links to `count` pages with the same response. */
function many(count: number, page: (number: number) => Answer): Site {
  const links = Array.from({ length: count }, (_, at) => `<a href="/p${at}">page ${at}</a>`).join(' ')
  const start = html(
    `<!doctype html><title>Start</title><main><h1>Start</h1><p>Many pages.</p>${links}</main>`,
  )
  return (path) => {
    if (path === '/') return start
    const number = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    return number < count ? page(number) : null
  }
}

/** The same site with a robots.txt. */
function withRobots(robots: string, site: Site): Site {
  return (path) => (path === '/robots.txt' ? plain(robots) : site(path))
}

const few = many(3, (number) =>
  html(`<title>Page ${number}</title><main><h1>Page</h1><p>Words ${number}.</p></main>`),
)

function manyNames(): Answer {
  const keywords = Array.from({ length: 8_000 }, (_, at) => `w${at}`).join(',')
  const headings = Array.from({ length: 1_600 }, (_, at) => `<h2 id="h${at}">h${at}</h2><p>t</p>`).join('')
  return html(`<title>Names</title><meta name="keywords" content="${keywords}"><main>${headings}</main>`)
}

const nested = gzipSync(`<urlset>${'<a>'.repeat(6_000_000)}`)
const paragraph = `${'needle haystack '.repeat(860_000)}.`
const longTitle = html(
  `<title>${'title '.repeat(800_000)}</title><main><h1>Title</h1><p>A needle.</p></main>`,
)
const slowHeading = { type: 'text/markdown', body: `# ${' '.repeat(400)}\u2028${'\n\nneedle'.repeat(600)}` }
const links = html(
  `<title>Links</title><main><h1>Links</h1><p>A needle.</p>${Array.from({ length: 200_000 }, (_, at) => `<a href="/l${at}">l</a>`).join('')}</main>`,
)

/** Each page links to two new pages, without end. */
const tree: Site = (path) =>
  html(
    `<title>Node ${path}</title><main><h1>Node</h1><p>Place ${path}</p><a href="${path}a/">a</a> <a href="${path}b/">b</a></main>`,
  )

const guide = many(60, (number) =>
  html(
    `<title>Guide ${number}</title><main><h1>Guide ${number}</h1><h2 id="a">Install part ${number}</h2><p>Install the widget number ${number} with care.</p><h2 id="b">Remove part ${number}</h2><p>Remove the gadget.</p></main>`,
  ),
)

export const sites = {
  guide,
  'robots with 10⁸ rules': withRobots('user-agent:*\n'.repeat(10_000) + 'allow:/\n'.repeat(10_000), few),
  'robots with __proto__': withRobots('__proto__: x\nconstructor: y\nuser-agent: *\nallow: /\n', few),
  'sitemap of 6,000,000 levels': (path) =>
    path === '/sitemap.xml.gz' ? { type: 'application/gzip', body: nested, isPacked: true } : few(path),
  'keywords and headings': many(10, manyNames),
  'paragraph of 14 MB': many(1, () => plain(paragraph)),
  'titles of 5 MB': many(4, () => longTitle),
  'headings without end': many(15, () => slowHeading),
  '200,000 links': many(1, () => links),
  'tree without end': tree,
} satisfies Record<string, Site>

export type SiteName = keyof typeof sites

const packed = new WeakMap<Answer, Buffer>()

function serve(site: Site) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const answer = site((request.url ?? '/').split('?')[0]!)
    if (answer === null) return response.writeHead(404).end('not found')
    let body = packed.get(answer)
    if (!body) {
      body = answer.isPacked ? (answer.body as Buffer) : gzipSync(answer.body, { level: 1 })
      packed.set(answer, body)
    }
    response.writeHead(200, {
      'content-type': answer.type,
      ...(!answer.isPacked && { 'content-encoding': 'gzip' }),
    })
    response.end(body)
  }
}

if (process.send) {
  // It simulates other machines, so it must not slow Lectern down.
  setPriority(10)
  const addresses: Record<string, string> = {}
  for (const [name, site] of Object.entries(sites)) {
    const server = createServer(serve(site)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    addresses[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  process.on('disconnect', () => process.exit())
  process.send(addresses)
}
