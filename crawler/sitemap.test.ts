import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Reading } from './fetch-result.ts'
import { readSitemap } from './sitemap.ts'
import { readSitemapFile, type SitemapItem } from './sitemap-file.ts'

const base = 'https://d.example'

const answered = {
  kind: 'document' as const,
  ...{ contentType: null, etag: null, lastModified: null },
}

/** Reads `/sitemap.xml` of a site with these files. */
async function read(files: Record<string, string | Uint8Array | Reading>) {
  const asked: string[] = []
  const fetcher = {
    async fetchPage(url: string): Promise<Reading> {
      asked.push(url.slice(base.length))
      const file = files[url.slice(base.length)]
      if (file === undefined) return { kind: 'gone', message: 'The server answered 404.' }
      if (typeof file !== 'string' && 'kind' in file) return file
      const body = typeof file === 'string' ? new TextEncoder().encode(file) : file
      return { ...answered, body }
    },
  }
  const batches = []
  const { signal } = new AbortController()
  const readFile = async (body: Uint8Array, url: string) => readSitemapFile(body, url)
  for await (const batch of readSitemap(`${base}/sitemap.xml`, fetcher, readFile, signal)) batches.push(batch)
  const entries = batches.flatMap((batch) => batch.entries)
  const paths = entries.map((entry) => entry.url.replace(base, ''))
  return { batches, entries, paths, warnings: batches.flatMap((batch) => batch.warnings), asked }
}

const urlset = (inside: string, more = '') =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${more}>${inside}</urlset>`
const locs = (...urls: string[]) =>
  urls.map((url) => `<url><loc>${url}</loc><lastmod>2024</lastmod></url>`).join('')
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`

test('returns pages in order, each once, however they are written', async () => {
  const file = urlset(
    locs(
      'https://d.example/a',
      ' /b#x\n',
      '<![CDATA[https://d.example/c?x=1&y=2]]>',
      '/d?x=1&amp;y=2',
      '/a',
      'mailto:x@y',
    ),
  )
  const { paths, warnings } = await read({ '/sitemap.xml': file })
  expect(paths).toEqual(['/a', '/b', '/c?x=1&y=2', '/d?x=1&y=2'])
  expect(warnings).toEqual([])
})

test('reads prefixed elements, but no image addresses', async () => {
  const file =
    '<s:urlset xmlns:s="x" xmlns:image="y"><s:url><s:loc>/a</s:loc><image:image><image:loc>/b.html</image:loc></image:image></s:url></s:urlset>'
  expect((await read({ '/sitemap.xml': file })).paths).toEqual(['/a'])
})

test('lists translations with their language', async () => {
  const alternate = (language: string, href: string) =>
    `<xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`
  const file = urlset(
    `<url><loc>/en</loc>${alternate('en', '/en')}${alternate('de-AT', '/de')}${alternate('x-default', '/all')}</url>`,
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  )
  expect((await read({ '/sitemap.xml': file })).entries).toEqual([
    { url: `${base}/en`, language: 'en' },
    { url: `${base}/de`, language: 'de-at' },
    { url: `${base}/all`, language: null },
  ])
})

test('reads nested indexes and compressed files with any name, and ends loops', async () => {
  const { paths, asked } = await read({
    '/sitemap.xml': index('/1.xml', '/2.xml'),
    '/1.xml': index('/sitemap.xml', '/3.xml'),
    '/2.xml': gzipSync(urlset(locs('/b'))),
    '/3.xml': urlset(locs('/a')),
  })
  expect(paths).toEqual(['/b', '/a'])
  expect(asked).toEqual(['/sitemap.xml', '/1.xml', '/2.xml', '/3.xml'])
})

test('reads plain text line by line', async () => {
  const { paths } = await read({ '/sitemap.xml': 'https://d.example/a\r\n\r\nnothing\nhttps://d.example/b' })
  expect(paths).toEqual(['/a', '/b'])
})

test('reports a file without addresses', async () => {
  const { paths, warnings } = await read({ '/sitemap.xml': '{"error": "not found"}' })
  expect({ paths, warnings: warnings.length }).toEqual({ paths: [], warnings: 1 })
})

test('reads 50,000 lines of plain text', async () => {
  const lines = Array.from({ length: 50_010 }, (_, at) => `${base}/${at}`)
  const { paths, warnings } = await read({ '/sitemap.xml': lines.join('\n') })
  expect({ paths: paths.length, warnings: warnings.length }).toEqual({ paths: 50_000, warnings: 1 })
})

test('reads a truncated file as far as possible, with one warning', async () => {
  const { paths, warnings } = await read({ '/sitemap.xml': `<urlset>${locs('/a', '/b')}<url><loc>/c` })
  expect(paths).toEqual(['/a', '/b'])
  expect(warnings).toHaveLength(1)
})

test('reads unescaped ampersands, wherever a chunk of the file ends', async () => {
  const pages = Array.from({ length: 5_000 }, (_, at) => `/${at}?x=1&y=${at}&amp;z=é`)
  const { paths, warnings } = await read({ '/sitemap.xml': urlset(locs(...pages)) })
  expect(paths).toEqual(pages.map((page) => page.replace('&amp;', '&').replace('é', '%C3%A9')))
  expect(warnings).toEqual([])
})

test('reads a file up to its 100,000th error', async () => {
  const faults = (count: number) => `<a ${'"'.repeat(count)}></a>`
  const some = await read({ '/sitemap.xml': urlset(faults(60_000) + locs('/a')) })
  expect(some).toMatchObject({ paths: ['/a'], warnings: [{}] })
  const many = await read({ '/sitemap.xml': urlset(locs('/a') + faults(120_000) + locs('/b')) })
  expect(many).toMatchObject({ paths: ['/a'], warnings: [{}] })
})

test('does not expand entities of a DTD', async () => {
  const dtd =
    '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
  const { paths } = await read({ '/sitemap.xml': `${dtd}<urlset>${locs('/ok', '/&b;', '/&x;')}</urlset>` })
  expect(paths).toContain('/ok')
  expect(paths.join()).not.toMatch(/aaaa|root:/)
})

test('reports unreadable files as warnings, and reads the others', async () => {
  const { paths, warnings } = await read({
    '/sitemap.xml': index('/gone.xml', '/bad.xml', '/failed.xml', '/good.xml'),
    '/bad.xml': new Uint8Array([0x1f, 0x8b, 1, 2, 3]),
    '/failed.xml': {
      kind: 'failed',
      reason: 'timeout',
      message: 'The server took too long.',
      answered: false,
    },
    '/good.xml': urlset(locs('/a')),
  })
  expect(paths).toEqual(['/a'])
  expect(warnings.map(({ url }) => url.replace(base, ''))).toEqual(['/gone.xml', '/bad.xml', '/failed.xml'])
})

test('limits addresses per file to 50,000, decompressed size, levels of indexes to five, and files to 1,000', async () => {
  const many = await read({
    '/sitemap.xml': urlset(locs(...Array.from({ length: 50_010 }, (_, at) => `/${at}`))),
  })
  expect(many.paths).toHaveLength(50_000)
  expect(many.warnings).toHaveLength(1)
  expect(Math.max(...many.batches.map((batch) => batch.entries.length))).toBe(1_000)

  const bomb = await read({ '/sitemap.xml': gzipSync(Buffer.alloc(51 * 1024 * 1024, ' ')) })
  expect(bomb.warnings).toHaveLength(1)

  const nested = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`/${at}.xml`, index(`/${at + 1}.xml`)]),
  )
  const deep = await read({ ...nested, '/sitemap.xml': index('/0.xml') })
  expect(deep.asked).toEqual(['/sitemap.xml', '/0.xml', '/1.xml', '/2.xml', '/3.xml', '/4.xml'])
  expect(deep.warnings).toHaveLength(1)

  const wide = await read({
    '/sitemap.xml': index(...Array.from({ length: 1_100 }, (_, at) => `/${at}.xml`)),
  })
  expect(wide.asked).toHaveLength(1_000)
})

test('reports a page instead of a sitemap as a warning', async () => {
  const { paths, warnings } = await read({
    '/sitemap.xml': '<html><body><p>Please sign in</p></body></html>',
  })
  expect(paths).toEqual([])
  expect(warnings).toMatchObject([
    { url: `${base}/sitemap.xml`, message: expect.stringContaining('not a sitemap') },
  ])
})

test('stops at elements nested too deeply, and at too many translations', async () => {
  const deep = await read({ '/sitemap.xml': `<urlset>${locs('/a')}${'<a>'.repeat(3_000_000)}` })
  expect(deep.paths).toEqual(['/a'])
  expect(deep.warnings).toMatchObject([{ message: expect.stringContaining('20 deep') }])

  const alternate = (at: number) => `<link rel="alternate" hreflang="de" href="/t${at}"/>`
  const translated = `<url><loc>/a</loc>${Array.from({ length: 1_000 }, (_, at) => alternate(at)).join('')}</url>`
  expect((await read({ '/sitemap.xml': urlset(translated) })).paths).toHaveLength(101)

  const translations = Array.from({ length: 100 }, (_, at) => alternate(at)).join('')
  const many = Array.from(
    { length: 1_000 },
    (_, at) => `<url><loc>/${at}</loc>${translations.replaceAll('/t', `/${at}/`)}</url>`,
  )
  const all = await read({ '/sitemap.xml': urlset(many.join('')) })
  expect(all.paths).toHaveLength(100_000)
  expect(all.warnings).toHaveLength(1)
})

test('reports files beyond their limits as warnings, and stops after the third', async () => {
  const fetcher = {
    fetchPage: async () =>
      ({ ...answered, body: new TextEncoder().encode(urlset(locs('/a'))) }) satisfies Reading,
  }
  const others = Array.from({ length: 9 }, (_, at) => `${base}/${at}.xml`)
  const listed: SitemapItem[] = others.map((url) => ({ kind: 'sitemap', url }))
  const readFile = (_body: Uint8Array, url: string) =>
    url === `${base}/sitemap.xml` ? Promise.resolve(listed) : Promise.reject(new Error('too much'))
  const warnings = []
  for await (const batch of readSitemap(
    `${base}/sitemap.xml`,
    fetcher,
    readFile,
    new AbortController().signal,
  ))
    warnings.push(...batch.warnings)
  expect(warnings.map(({ url }) => url)).toEqual([0, 1, 2, 2].map((at) => others[at]))
  expect(warnings.at(-1)!.message).toContain('the rest was left out')
})
