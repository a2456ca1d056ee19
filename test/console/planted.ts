// A site with each fault that a page can have: reason → address.
import type { Site } from '../e2e/site.ts'
import { htmlPage } from '../e2e/site.ts'

interface Posts {
  addProject(slug: string): Promise<void>
  addSource(slug: string, source: object): Promise<string>
}

/** Plants them as the project `planted`; returns the addresses by their expected reasons. */
export async function plantFaults(
  site: Site,
  { addProject, addSource }: Posts,
): Promise<Map<string, string>> {
  const at = (name: string) => `${site.url}planted/${name}`
  const planted = new Map([
    ['robots', at('robots.html')],
    ['noindex', at('noindex.html')],
    ['excluded', at('excluded.html')],
    ['duplicate', at('same.html')],
    ['canonical', at('canonical.html')],
    ['redirect', at('redirect.html')],
    ['gone', at('gone.html')],
    ['no_content', at('empty.html')],
    ['page_limit', `${site.url}limited/second.html`],
    ['trap', at('a/b/a/b/a/b/trap.html')],
    ['timeout', `${site.url}silent.html`],
    ['dns', 'http://no-such-host.invalid/'],
    ['tls', site.url.replace('http:', 'https:')],
    ['connection', `${site.url}reset.html`],
    ['http_4xx', at('forbidden.html')],
    ['http_5xx', at('broken.html')],
    ['blocked_address', 'http://10.255.255.1/'],
    ['too_large', at('large.html')],
    ['parse', at('nowhere.html')],
  ])
  const below = [...planted.values()]
    .filter((url) => url.startsWith(at('')))
    .map((url) => url.slice(at('').length))
  const html = (title: string, head: string) =>
    htmlPage(title, `A page about ${title}.`).replace('<head>', `<head>${head}`)
  const start = htmlPage('Planted', 'Pages with faults.', ['target.html', ...below])
  const answers: [string, Parameters<Site['pages']['set']>[1]][] = [
    ['/robots.txt', 'User-agent: *\nDisallow: /planted/robots.html\n'],
    ['/planted/', start],
    ['/planted/robots.html', htmlPage('Robots', 'Nobody may read this.')],
    ['/planted/noindex.html', html('Noindex', '<meta name="robots" content="noindex">')],
    ['/planted/excluded.html', htmlPage('Excluded', 'Left out by a glob.')],
    ['/planted/target.html', htmlPage('Target', 'Where other pages lead.')],
    // The start is read first.
    ['/planted/same.html', start],
    ['/planted/canonical.html', html('Canonical', '<link rel="canonical" href="target.html">')],
    ['/planted/redirect.html', (_, response) => response.writeHead(302, { location: 'target.html' }).end()],
    ['/planted/empty.html', '<!doctype html><title>Empty</title><main></main>'],
    ['/planted/a/b/a/b/a/b/trap.html', htmlPage('Trap', 'Round and round.')],
    ['/planted/forbidden.html', (_, response) => response.writeHead(403).end('no')],
    ['/planted/broken.html', (_, response) => response.writeHead(500).end('broken')],
    [
      '/planted/large.html',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': 300_000_000 })
        response.end('<p>large')
      },
    ],
    ['/planted/nowhere.html', (_, response) => response.writeHead(302, { location: 'http://[' }).end()],
    ['/silent.html', () => {}],
    ['/reset.html', (request) => request.socket.destroy()],
    ['/limited/', htmlPage('Limited', 'The first page.', ['second.html'])],
    ['/limited/second.html', htmlPage('Second', 'One page too many.')],
  ]
  for (const [path, answer] of answers) site.pages.set(path, answer)
  await addProject('planted')
  await addSource('planted', { type: 'site', url: at(''), exclude: ['/planted/excluded.html'] })
  await addSource('planted', { type: 'site', url: `${site.url}limited/`, max_pages: 1 })
  for (const reason of ['timeout', 'dns', 'tls', 'connection', 'blocked_address'])
    await addSource('planted', { type: 'url', url: planted.get(reason) })
  return planted
}
