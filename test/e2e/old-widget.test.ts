// A web component older than v2, as published on npm, on a documentation page of another origin. Only its server address
// is changed.
import { readdir, readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot, type WatchedPage } from './browser.ts'
import { type Harbor, openHarbor } from './harbor.ts'
import { searchAnswered } from './lectern-process.ts'
import { openSite, type Site } from './site.ts'

const component = new URL('../../node_modules/biel-search/dist/biel-search/', import.meta.url)
const initialMessage = 'Ahoy! Ask me about Harbor.'

const embedding = (project: string, { lectern }: Harbor) => {
  const elements = `project="${project}" api-url="${lectern.baseUrl}/api/v1"`
  return `<!doctype html><html lang="en"><head><title>Docs</title>
<link rel="stylesheet" href="/widget/biel-search.css">
<script type="module" src="/widget/biel-search.esm.js"></script></head><body>
<h1>Documentation</h1>
<biel-search-button ${elements} hide-filters="false">Search</biel-search-button>
<biel-button ${elements} header-title="Harbor">Ask</biel-button></body></html>`
}

describe.skipIf(lacksBrowser)('a web component older than v2', { timeout: 180_000 }, () => {
  let harbor: Harbor
  /** The same with a language model. */
  let written: Harbor
  let provider: ScriptedProvider
  let docs: Site
  let browser: Browser
  let uuid: string
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    harbor = await openHarbor({ LECTERN_LEGACY_CHATS: 'same-address' })
    const config = {
      chat: { initial_message: initialMessage, suggested_questions: ['How do I install Harbor on Linux?'] },
      search: {
        filters: [
          { title: 'Install', url: '^https?://.+/install[.]html$' },
          { title: 'Proxy', url: 'proxy' },
        ],
      },
    }
    const { body } = await harbor.lectern.call('PATCH', '/api/v2/projects/harbor/', { config })
    uuid = body.uuid
    provider = await openScriptedProvider()
    written = await openHarbor({ LECTERN_LLM_URL: provider.url, LECTERN_LLM_MODEL: 'scripted' })
    await searchAnswered(harbor.lectern, 'harbor')
    docs = await openSite({
      '/docs/?page=1&limit=x&version=9': embedding(uuid, harbor),
      '/written/': embedding('harbor', written),
      '/favicon.ico': (_, response) => response.writeHead(204).end(),
    })
    for (const name of await readdir(component)) {
      docs.pages.set(`/widget/${name}`, async (_, response) => {
        const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
        response.writeHead(200, { 'content-type': type }).end(await readFile(new URL(name, component)))
      })
    }
    browser = await openBrowser()
    watched = await openPage(browser)
    page = watched.page
    // The component requests a font from another host.
    await page.route(
      ({ hostname }) => hostname !== '127.0.0.1',
      (route) => route.fulfill({ contentType: 'text/css', body: '' }),
    )
  }, 600_000)
  afterAll(async () => {
    await browser.close()
    await docs.close()
    await harbor.close()
    await written.close()
    await provider.close()
  })

  const lastAnswer = () => page.locator('biel-bot biel-message').last()
  const shownText = async () =>
    (await lastAnswer().locator('#biel-message').textContent())!.replaceAll(/\s+/g, ' ').trim()
  /** Only finished messages: a widget shows the words of an answer before it is complete. */
  const readChats = async () => (await harbor.lectern.call('GET', '/api/v2/projects/harbor/chats/')).body
  const open = () => page.goto(`${docs.url}docs/?page=1&limit=x&version=9`)

  test('searches, filters and opens a result', async () => {
    await open()
    await page.locator('biel-search-button').click()
    // All keystrokes at once, so that a late answer to fewer letters cannot replace the last one.
    await page.locator('biel-search-input input').focus()
    await page.keyboard.insertText('install harbor')
    const results = page.locator('biel-search-result')
    await expect.poll(() => results.count()).toBeGreaterThan(0)
    await page.locator('biel-search-filters button', { hasText: 'Install' }).click()
    await results.first().getByText('Installing Harbor').first().waitFor()
    await takeScreenshot(page, 'old-widget-search')
    const clicked = page.waitForResponse(
      (response) => response.url().endsWith('/search/click/') && response.ok(),
    )
    await results.first().click()
    await clicked
    await page.waitForURL(/install\.html/)
  })

  test('chats, with sources and feedback', async () => {
    await open()
    await page.locator('biel-button').click()
    await page.locator('biel-bot').getByText(initialMessage).waitFor()
    await page.locator('biel-suggested-questions').getByText('How do I install Harbor on Linux?').click()
    await lastAnswer().getByText('apt install harbor').first().waitFor()
    await page.locator('biel-sources button').last().click()
    const source = page.locator('biel-sources a').first()
    expect(await source.getAttribute('href')).toContain('install.html')
    const rated = page.waitForResponse((response) => response.url().endsWith('/feedback/'))
    await page.locator('biel-feedback .like-btn').last().click()
    expect((await rated).status()).toBe(200)
    await takeScreenshot(page, 'old-widget-chat')
  })

  test('continues the conversation after a reload', async () => {
    await open()
    await page.locator('biel-button').click()
    await lastAnswer().getByText('apt install harbor').first().waitFor()
    await expect.poll(() => page.locator('biel-feedback .like-btn.active').count()).toBe(1)
    const input = page.locator('biel-bot biel-input textarea')
    await input.fill('What does the option --dry-run show?')
    await input.press('Enter')
    await lastAnswer().getByText('which files').first().waitFor()
    await takeScreenshot(page, 'old-widget-reload')
    await expect.poll(readChats).toMatchObject({ count: 1, results: [{ message_count: 4 }] })
  })

  test('shows an answer to its last word', async () => {
    await open()
    await page.locator('biel-button').click()
    const input = page.locator('biel-bot biel-input textarea')
    await input.fill('Which command does Harbor need to run?')
    await input.press('Enter')
    await expect
      .poll(() => shownText())
      .toMatch(/^Installing Harbor \[1\] To install .* See also: Deploying a site: The command .*\.$/u)
  })

  test('shows citations after verification', async () => {
    await page.goto(`${docs.url}written/`)
    await page.locator('biel-button').click()
    const held = provider.chat.hold()
    const input = page.locator('biel-bot biel-input textarea')
    await input.fill('How do I install Harbor on Linux?')
    await input.press('Enter')
    const call = await held
    await call.token('Run apt install harbor as root [1]. It takes')
    await call.token(' 77 hours [1].\n\nThat is')
    await call.token(' all [9].')
    await lastAnswer().getByText('77 hours').waitFor()
    await call.end('stop')
    await expect
      .poll(() => shownText())
      .toBe('Run apt install harbor as root [1]. It takes 77 hours. That is all.')
    await takeScreenshot(page, 'old-widget-checked')
  })

  test('starts a new conversation if the old one no longer belongs to the reader', async () => {
    const [{ uuid: chat }] = (await readChats()).results
    await harbor.lectern.call('DELETE', `/api/v2/projects/harbor/chats/${chat}/`)
    await open()
    await page.locator('biel-button').click()
    const input = page.locator('biel-bot biel-input textarea')
    await input.fill('How do I install Harbor on Linux?')
    await input.press('Enter')
    await lastAnswer().getByText('apt install harbor').first().waitFor()
    await expect.poll(readChats).toMatchObject({ count: 1, results: [{ message_count: 2 }] })
  })

  test('causes no error except that of the lost conversation', () => {
    expect(watched.errors.filter((error) => !/403|FORBIDDEN/.test(error))).toEqual([])
  })
})
