// What readers transfer for a widget: the scripts and styles that a page requests, compressed with gzip -9.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'

export interface Sizes {
  /** When the page has loaded, with a search open, with an answer. */
  loader: number
  search: number
  everything: number
}

/** Records the scripts and styles that a page requests from this origin. The result adds up what has arrived so far. */
export function watchTransfer(page: Page, origin: string): () => Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    const url = response.url()
    if (!url.startsWith(origin) || !/\.(?:js|css)$/.test(new URL(url).pathname)) return
    sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
  })
  return async () => {
    await page.waitForLoadState('networkidle')
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }
}

const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

/** The published packages, in separate pages; requests to their services are answered with 404. */
export async function measureOthers(browser: Browser): Promise<{ docsearch: Sizes; biel: Sizes }> {
  const docsearch = (
    script: string,
  ) => `<div id="box"></div><script src="/@docsearch/js/dist/umd/${script}"></script>
    <script>docsearch({ container: '#box', appId: 'A', apiKey: 'K', indexName: 'docs', indices: ['docs'], askAi: 'X' })</script>`
  const biel = `<link rel="stylesheet" href="/biel-search/dist/biel-search/biel-search.css">
    <script type="module" src="/biel-search/dist/biel-search/biel-search.esm.js"></script>
    <biel-search-button project="p">Search</biel-search-button><biel-button project="p">Ask</biel-button>`
  const pages: Record<string, string> = {
    '/keyword': docsearch('docsearch.js'),
    '/ask': docsearch('index.js'),
    '/biel': biel,
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const html = pages[pathname]
    try {
      const body = html ?? readFileSync(modules + pathname.slice(1).replaceAll('..', ''))
      const type = html ? 'text/html' : pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await browser.newContext()
  const open = async (path: string) => {
    const page = await context.newPage()
    const transferred = watchTransfer(page, origin)
    await page.goto(origin + path)
    return { page, transferred }
  }
  try {
    const keyword = await open('/keyword')
    const loader = await keyword.transferred()
    await keyword.page.locator('#box button').first().click()
    const search = await keyword.transferred()
    const ask = await open('/ask')
    await ask.page.locator('#box button').first().click()
    const old = await open('/biel')
    await old.page.locator('biel-search-button.hydrated').waitFor()
    const bielLoader = await old.transferred()
    await old.page.locator('biel-search-button').click()
    const bielSearch = await old.transferred()
    await old.page.keyboard.press('Escape')
    await old.page.evaluate(`document.querySelector('biel-button').click()`)
    return {
      docsearch: { loader, search, everything: await ask.transferred() },
      biel: { loader: bielLoader, search: bielSearch, everything: await old.transferred() },
    }
  } finally {
    await context.close()
    server.close()
  }
}
