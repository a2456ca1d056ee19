// Documents without an address on the web: Lectern serves a page for each, to those who may read it.
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openapi3 } from '../openapi/pets.ts'
import { file, sendForm } from '../uploads/form-client.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot } from './browser.ts'
import { type LecternProcess, sharedLectern, syncToEnd } from './lectern-process.ts'

const hostile = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)> \u0000\u001b[31m &amp;'

const spec = {
  ...openapi3,
  servers: [],
  tags: Array.from({ length: 1_000 }, (_, at) => ({
    name: `tag-${at}`,
    description: 'many words '.repeat(50),
  })),
  paths: {
    ...openapi3.paths,
    '/evil/../"><script>': {
      get: { summary: hostile, description: hostile, responses: { 200: { description: hostile } } },
    },
  },
}

let lectern: LecternProcess
let addresses: Map<string, string>
let source: string
beforeAll(async () => {
  lectern = await sharedLectern()
  const { url, sourceUuid } = await addSpec('pets', false)
  addresses = url
  source = sourceUuid
})

/** Addresses of found documents, by title. */
async function addSpec(slug: string, isPrivate: boolean) {
  await lectern.call('POST', '/api/v2/projects/', { name: slug, slug, is_private: isPrivate })
  const added = await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, { type: 'openapi', spec })
  expect(added).toMatchObject({ status: 201, body: { name: 'Pet Store', url: null, base_url: null } })
  expect(await syncToEnd(lectern, slug)).toMatchObject({ status: 'completed' })
  const url = new Map<string, string>()
  for (const q of ['listPets', 'evil', 'Pet']) {
    const found = await lectern.call('GET', `/api/v2/projects/${slug}/search/?q=${q}&limit=50`)
    for (const result of found.body.results) url.set(result.page_title, result.url)
  }
  return { url, sourceUuid: added.body.uuid as string }
}

const fixture = (name: string) => readFileSync(new URL(`../fixtures/files/${name}`, import.meta.url))

const read = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })
const urlOf = (title: RegExp) => [...addresses].find(([each]) => title.test(each))![1]

test('serves an operation at its method and path, below the source', async () => {
  const url = urlOf(/^GET \/pets: /)
  expect(url).toBe(`${lectern.baseUrl}/files/pets/${source}/GET/pets`)
  const answer = await read(url)
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; /),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  })
  const html = await answer.text()
  expect(html).toContain('<h1 dir="auto">GET /pets: List all pets</h1>')
  expect(html).toContain(`<a href="../../../../demo/pets/">`)
  expect((await read(urlOf(/^DELETE \/pets\/\{id\}/))).status).toBe(200)
  expect((await read(`${lectern.baseUrl}/files/pets/${source}/`)).status).toBe(200)
})

test('escapes hostile text', async () => {
  const url = urlOf(/script/)
  expect(new URL(url).pathname).toBe(`/files/pets/${source}/GET/evil/_/%22%3E%3Cscript%3E`)
  const answer = await read(url)
  expect(answer.status).toBe(200)
  const html = await answer.text()
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html.match(/<(script|img)/g)).toBeNull()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
  expect(html.match(/[\0-\x08\x0b-\x1f]/)).toBeNull()
})

test('splits a large document into parts', async () => {
  const url = urlOf(/^Pet Store$/)
  const first = await (await read(url)).text()
  const parts = Number(/Part 1 of (\d+)/.exec(first)?.[1])
  expect(parts).toBeGreaterThan(1)
  let [html, at] = [first, url]
  let count = 1
  const seen = new Set<string>()
  for (; ; count++) {
    expect(html.length).toBeLessThan(400_000)
    for (const [tag] of html.matchAll(/\btag-\d+/g)) seen.add(tag)
    const next = /rel="next" href="([^"]+)"/.exec(html)?.[1]
    if (next === undefined) break
    at = new URL(next, at).href
    html = await (await read(at)).text()
  }
  expect([count, seen.size]).toEqual([parts, 1_000])
  for (const part of ['0', `${parts + 1}`, 'x', '99999999999999']) {
    const answer = await read(`${url}?part=${part}`)
    expect([part, answer.status, await answer.text()]).toEqual([part, 404, 'The page has no such part.\n'])
  }
})

test('reports missing pages in plain text', async () => {
  const { baseUrl } = lectern
  const unknown: [url: string, status: number][] = [
    [`${baseUrl}/files/pets/${source}/GET/none`, 404],
    [`${baseUrl}/files/pets/${source}/GET/pets/%00`, 404],
    [`${baseUrl}/files/pets/none/GET/pets`, 404],
    [`${baseUrl}/files/none/${source}/GET/pets`, 404],
    [`${baseUrl}/files/pets`, 404],
    [`${baseUrl}/files/`, 404],
  ]
  for (const [url, status] of unknown) {
    const answer = await read(url)
    expect([url, answer.status]).toEqual([url, status])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toMatch(/^[A-Z][^<>{}]+\.\n$/)
  }
  expect((await read(`${baseUrl}/files/pets/${source}/${'x'.repeat(2_001)}`)).status).toBe(400)
  expect((await fetch(`${baseUrl}/files/pets/${source}/GET/pets`, { method: 'POST' })).status).toBe(405)
})

test('requires a key with search permission for a private project', async () => {
  const { url } = await addSpec('hidden', true)
  const page = [...url].find(([title]) => title.startsWith('GET /pets: '))![1]
  const keyOf = async (permissions: string[]) =>
    (await lectern.call('POST', '/api/v2/keys/', { name: 'K', permissions })).body.key
  const withKey = async (permissions: string[]) =>
    await read(page, { authorization: `Api-Key ${await keyOf(permissions)}` })
  const refused = await read(page)
  expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'text/plain; charset=utf-8'])
  expect(await refused.text()).not.toContain('pets')
  expect((await withKey(['sources_read'])).status).toBe(403)
  const answer = await withKey(['search'])
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
})

test('serves an uploaded file at its name, with page and sheet numbers and anchors for sections', async () => {
  await lectern.call('POST', '/api/v2/projects/', { name: 'Files', slug: 'files' })
  const evil = `<script>alert(1)&%2F#?'.md`
  const long = `${'長'.repeat(250)}.txt`
  const sent = await sendForm(lectern.baseUrl, '/api/v2/projects/files/sources/', [
    ['files[]', new File([fixture('manual.pdf')], 'manual.pdf')],
    ['files[]', new File([fixture('prices.xlsx')], 'Übersicht 2026.xlsx')],
    [
      'files[]',
      file(
        evil,
        `# ${hostile}\n\n- ${hostile}\n\n## Wombats <b>\n\nThey make cubes.\n\n| a | b | c |\n|-|-|-|\n| | | x |\n| y | | |\n`,
      ),
    ],
    ['files[]', file(long, 'Capybaras swim.\n')],
  ])
  expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  expect(await syncToEnd(lectern, 'files')).toMatchObject({ pages: { added: 4 } })
  async function openFound(q: string) {
    const path = `/api/v2/projects/files/search/?q=${q}&content_scope=all`
    const { url, document_id } = (await lectern.call('GET', path)).body.results[0]
    const answer = await read(url)
    expect(answer.status).toBe(200)
    const { body } = await lectern.call('GET', `/api/v2/projects/files/documents/${document_id}/`)
    const { pathname, hash } = new URL(url)
    const name = decodeURIComponent(pathname.split('/').at(-1)!)
    return { name, hash, html: await answer.text(), document: body }
  }

  const placesOf = ({ chunks }: { chunks: { page: number | null; sheet: string | null }[] }) =>
    chunks.map(({ page, sheet }) => `${page} ${sheet}`)

  const pdf = await openFound('oil')
  expect([pdf.name, pdf.hash]).toEqual(['manual.pdf', '#page-3-2'])
  expect(pdf.html).toContain('<h2 id="page-3-2" dir="auto">Maintenance ')
  expect(pdf.html.match(/<p class="place"[^>]*>Page \d/g)?.map((place) => place.at(-1))).toEqual([
    '1',
    '2',
    '3',
    '4',
  ])
  expect(pdf.document.file_path).toBe('manual.pdf')
  expect(new Set(placesOf(pdf.document))).toEqual(new Set(['1 null', '2 null', '3 null', '4 null']))
  const xlsx = await openFound('Bolt')
  expect([xlsx.name, xlsx.hash]).toEqual(['Übersicht 2026.xlsx', '#prices'])
  expect(placesOf(xlsx.document)).toEqual(['null Prices', 'null Spare parts'])
  expect(xlsx.html).toContain('<tr><td dir="auto">Name: Bolt M8</td>')
  expect(xlsx.html).toContain('<h2 id="spare-parts" dir="auto">Spare parts ')
  const md = await openFound('wombats')
  expect(md.name).toBe(evil)
  expect(md.html).toContain(`id="${md.hash.slice(1)}"`)
  expect(md.html.match(/<(script|img|b)\b/g)).toBeNull()
  for (const cells of [
    ['', '', 'x'],
    ['y', '', ''],
  ])
    expect(md.html).toContain(`<tr>${cells.map((cell) => `<td dir="auto">${cell}</td>`).join('')}</tr>`)
  expect((await openFound('capybaras')).name).toBe('file.txt')
})

describe.skipIf(lacksBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test.each(['light', 'dark'] as const)('displays in the %s scheme without errors', async (colorScheme) => {
    const { page, errors, hosts } = await openPage(browser, { colorScheme })
    for (const [name, title] of [
      ['operation', /^DELETE \/pets\/\{id\}/],
      ['hostile', /script/],
      ['large', /^Pet Store$/],
    ] as const) {
      await page.goto(urlOf(title))
      await takeScreenshot(page, `own-page-${name}-${colorScheme}`)
    }
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(background).toBe(colorScheme === 'light' ? 'rgb(250, 248, 244)' : 'rgb(23, 22, 26)')
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(lectern.baseUrl).host])
  })
})
