// The language of a page and its precedence: the page, its address, hreflang of page and sitemap, then the header.
import { expect, test } from 'vitest'
import type { Handler } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab

const answer =
  (html: string, contentLanguage = 'fr'): Handler =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', 'content-language': contentLanguage }).end(html)

const html = (path: string, { lang = '', own = '' } = {}) =>
  `<html${lang && ` lang="${lang}"`}><head><title>${path}</title><link rel="alternate" hreflang="it" href="/elsewhere">
   ${own && `<link rel="alternate" hreflang="${own}" href="${path}">`}</head><body><h1>${path}</h1><p>Words of ${path}.</p></body></html>`

test('each page has the language of the most specific statement, and a repeated sync changes nothing', async () => {
  lab = await openLab()
  const alternate = (path: string, language: string) =>
    `<url><loc>${path}</loc><xhtml:link rel="alternate" hreflang="${language}" href="${path}"/></url>`
  const entries = ['/page', '/nl/path', '/link', '/map'].map((path) => alternate(path, 'de-AT')).join('')
  const plain = ['/header', '/several'].map((path) => `<url><loc>${path}</loc></url>`).join('')
  lab.site.pages.set('/sitemap.xml', `<urlset xmlns:xhtml="x">${entries}${plain}</urlset>`)
  lab.site.pages.set('/page', answer(html('/page', { lang: 'en', own: 'es' })))
  lab.site.pages.set('/nl/path', answer(html('/nl/path', { own: 'es' })))
  lab.site.pages.set('/link', answer(html('/link', { own: 'es-MX' })))
  lab.site.pages.set('/map', answer(html('/map')))
  lab.site.pages.set('/header', answer(html('/header')))
  lab.site.pages.set('/several', answer(html('/several'), 'en, fr'))
  await lab.addSource({ type: 'sitemap', url: `${lab.site.url}sitemap.xml` })
  expect((await lab.sync()).pages).toMatchObject({ added: 6 })

  const languages: Record<string, string | null> = {}
  for (const { url, uuid, language } of await lab.store.pages.scan(lab.project, null, 100)) {
    expect((await lab.store.pages.content(uuid))?.language).toBe(language)
    languages[new URL(url).pathname] = language
  }
  expect(languages).toEqual({
    '/page': 'en',
    // The search knows it from the address.
    '/nl/path': null,
    '/link': 'es-mx',
    '/map': 'de-at',
    '/header': 'fr',
    '/several': null,
  })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 6, updated: 0 })

  // A recrawl does not read the sitemap, and keeps its statement.
  const map = `${lab.site.url}map`
  expect((await lab.recrawl(map)).status).toBe('unchanged')
  expect((await lab.store.pages.byUrls(lab.project, [map]))[0]?.language).toBe('de-at')
})

test('the log reports why a page was removed', async () => {
  lab = await openLab()
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html', 'e.html', 'f.html', 'g.html'])
  const source = await lab.addSource()
  await lab.sync()
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html', 'e.html', 'f.html'])
  lab.site.pages.delete('/e.html')
  lab.site.pages.set('/f.html', '<meta name="robots" content="noindex"><h1>F</h1><p>Words.')
  const run = await lab.sync()
  const removed = await lab.eventsOf(run, 'page_removed')
  expect(removed.every(({ sourceUuid }) => sourceUuid === source.uuid)).toBe(true)
  expect(Object.fromEntries(removed.map(({ url, reason }) => [new URL(url!).pathname, reason]))).toEqual({
    '/e.html': 'gone',
    '/f.html': 'noindex',
    '/g.html': 'unlisted',
  })
})
