// The demo page and the REST reference in a real browser, against a real Lectern with its own manual and a private project.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restV1 } from '../../gateway/rest-v1.ts'
import { restV2 } from '../../gateway/rest-v2.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot } from './browser.ts'
import { adminKey, type LecternProcess, searchAnswered, startLectern, syncToEnd } from './lectern-process.ts'
import { openSite, type Site } from './site.ts'

const option = '[role=option]'

describe.skipIf(lacksBrowser)('pages for readers', { timeout: 180_000 }, () => {
  let lectern: LecternProcess
  let browser: Browser
  const openedSites: Site[] = []

  beforeAll(async () => {
    browser = await openBrowser()
    lectern = await startLectern({ crawlsManual: true })
    await firstCrawlEnded(lectern)
    await searchAnswered(lectern, 'manual')
  }, 600_000)

  afterAll(async () => {
    await browser?.close()
    await lectern?.remove()
    for (const site of openedSites) await site.close()
  })

  const demo = (slug: string) => `${lectern.baseUrl}/demo/${slug}/`

  async function crawlProject(slug: string, pages: Record<string, string>, settings = {}) {
    const site = await openSite(pages)
    openedSites.push(site)
    await lectern.call('POST', '/api/v2/projects/', { name: slug, slug, ...settings })
    await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, { type: 'site', url: site.url })
    expect(await syncToEnd(lectern, slug)).toMatchObject({ status: 'completed' })
    await searchAnswered(lectern, slug)
    return site
  }

  test('finds a section of the manual while a reader types, with the keyboard only', async () => {
    const { page, errors, hosts } = await openPage(browser)
    await page.goto(demo('manual'))
    await expect.poll(() => page.textContent('h1')).toBe('Lectern manual')
    expect(await focused(page)).toBe('query')

    await page.keyboard.type('crawl delay', { delay: 20 })
    await resultsShown(page)
    await page.waitForSelector(`${option} mark`)
    expect(await page.textContent('#count')).toMatch(/^\d+ (best )?results? on \d+ pages?$/)
    expect(new URL(page.url()).searchParams.get('q')).toBe('crawl delay')

    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const chosen = await page.getAttribute('#query', 'aria-activedescendant')
    expect(await page.getAttribute(`#${chosen}`, 'aria-selected')).toBe('true')
    expect(await page.locator('[aria-selected=true]').count()).toBe(1)
    await takeScreenshot(page, 'demo-results')

    const leads = await page.getAttribute(`#${chosen}`, 'href')
    const click = page.waitForRequest((request) => request.url().endsWith('/search/click/'))
    await page.keyboard.press('Enter')
    expect((await click).postDataJSON()).toMatchObject({
      query: 'crawl delay',
      url: leads,
      position: expect.any(Number),
    })
    await page.waitForURL(leads ?? '')
    expect(new URL(page.url()).pathname).toMatch(/^\/manual\//)

    await page.goBack()
    await page.waitForSelector(option)
    expect(await page.inputValue('#query')).toBe('crawl delay')
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(lectern.baseUrl).host])
  })

  test('loads more results when the reader scrolls to the end', async () => {
    const { page, errors } = await openPage(browser)
    await page.goto(`${demo('manual')}?q=lectern`)
    await expect.poll(() => page.textContent('#count')).toMatch(/^30 best results on \d+ pages$/)
    await resultsShown(page)
    const first = await page.locator(option).allTextContents()
    await page.locator(option).last().scrollIntoViewIfNeeded()
    await expect.poll(() => page.textContent('#count')).toMatch(/^50 best results on \d+ pages$/)
    await resultsShown(page)
    expect((await page.locator(option).allTextContents()).slice(0, 30)).toEqual(first)
    expect(errors).toEqual([])
  })

  test('finds uploaded files and labels them', async () => {
    await crawlProject('files', {
      '/': '<!doctype html><title>Harbor</title><main><h1>Harbor</h1><p>Ships moor at the lighthouse.</p></main>',
    })
    const form = new FormData()
    form.append('files[]', new Blob(['# Keeper\n\nThe lighthouse keeper sleeps by day.\n']), 'keeper.md')
    const headers = { authorization: `Api-Key ${adminKey}` }
    const sources = `${lectern.baseUrl}/api/v2/projects/files/sources/`
    expect((await fetch(sources, { method: 'POST', headers, body: form })).status).toBe(201)
    expect(await syncToEnd(lectern, 'files')).toMatchObject({ status: 'completed' })
    const { page } = await openPage(browser)
    await page.goto(`${demo('files')}?q=lighthouse`)
    await resultsShown(page)
    expect(await page.getByRole('group', { name: /Harbor/ }).count()).toBe(1)
    const file = page.getByRole('group', { name: 'Keeper, uploaded file' })
    expect(await file.textContent()).toContain('Uploaded file')
    expect(await file.locator(option).getAttribute('href')).toMatch(/\/files\/files\/.*\/keeper\.md/)
  })

  test('suggests what to try when nothing is found', async () => {
    const { page } = await openPage(browser, { colorScheme: 'dark', viewport: { width: 390, height: 760 } })
    await page.goto(`${demo('manual')}?q=qqxyzzyqq`)
    await expect.poll(() => page.textContent('#notice')).toContain('Nothing found for “qqxyzzyqq”')
    await takeScreenshot(page, 'demo-nothing')
    await page.fill('#query', 'held removals')
    await page.waitForSelector(option)
    await takeScreenshot(page, 'demo-narrow-dark')
  })

  test('asks for the key of a private project, keeps it for the tab, and chats with it', async () => {
    await crawlProject(
      'inner',
      { '/': '<!doctype html><title>Inner</title><main><h1>Inner</h1><p>A quiet lighthouse.</p></main>' },
      { is_private: true },
    )
    const { page } = await openPage(browser)
    await page.goto(demo('inner'))
    await expect.poll(() => page.textContent('#notice')).toContain('This project is private')
    await takeScreenshot(page, 'demo-private')
    await page.fill('.key input', 'lec_wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.textContent('#notice')).toContain('This key is not accepted')
    await page.fill('.key input', adminKey)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.key').count()).toBe(0)
    await page.keyboard.insertText('lighthouse')
    await page.waitForSelector(option)
    await page.reload()
    await page.waitForSelector(option)
    await page.keyboard.press('Shift+Enter')
    await page.waitForSelector('.thumb-up')
    await page.click('.thumb-up')
    await expect.poll(() => page.getAttribute('.thumb-up', 'aria-pressed')).toBe('true')
    await page.reload()
    await expect.poll(() => page.textContent('.turn .prose')).toContain('A quiet lighthouse')
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await page.waitForSelector('.key input')
    await page.click('#ask')
    await page.fill('#question', 'lighthouse')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.textContent('.turn-notice')).toMatch(/key/)
  })

  describe('the REST reference', () => {
    test.each([
      ['v2', '/reference/', restV2],
      ['v1', '/reference/?v1', restV1],
    ])('shows every operation of %s', async (version, path, rows) => {
      const { page, errors, hosts } = await openPage(browser)
      await page.goto(lectern.baseUrl + path)
      await page.locator('.opblock').first().waitFor()
      await expect.poll(() => page.locator('.opblock').count()).toBe(rows.length)
      expect(await page.title()).toBe(`Lectern: REST ${version}`)
      await page.locator('#operations-Search-search .opblock-summary-control').click()
      await page.locator('#operations-Search-search .parameters').first().waitFor()
      await page.locator('#operations-Search-search').getByText("The reader's input.").first().waitFor()
      await takeScreenshot(page, `reference-${version}`)
      expect(errors).toEqual([])
      expect([...hosts]).toEqual([new URL(lectern.baseUrl).host])
    })

    test('closes the padlock of operations that need a key, and of no others', async () => {
      const { page } = await openPage(browser)
      await page.goto(`${lectern.baseUrl}/reference/`)
      const padlock = (id: string) => page.locator(`#operations-${id} .authorization__btn`)
      await padlock('Search-search').waitFor()
      expect(await padlock('Search-search').getAttribute('aria-label')).toContain('unlocked')
      expect(await padlock('Key-listKeys').getAttribute('aria-label')).toMatch(/ locked/)
    })

    test('sends requests to its own server', async () => {
      const { page, errors } = await openPage(browser)
      await page.goto(`${lectern.baseUrl}/reference/#/Project/getProject`)
      const operation = page.locator('#operations-Project-getProject')
      await operation.getByRole('button', { name: 'Try it out' }).click()
      await operation.locator('input[placeholder="slug"]').fill('manual')
      await operation.getByRole('button', { name: 'Execute' }).click()
      await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
      expect(errors).toEqual([])
    })
  })
})

/** Waits for the results of the last query, which render in several tasks. */
const resultsShown = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate<boolean>(`
        document.querySelector('#form').ariaBusy === 'false' &&
        document.querySelectorAll('${option} .title').length ===
          Number.parseInt(document.querySelector('#count').textContent)`),
    )
    .toBe(true)

const focused = (page: Page) => page.evaluate('document.activeElement.id')

/** The first start crawls the manual and prints the outcome. */
async function firstCrawlEnded({ output, process }: LecternProcess): Promise<void> {
  const ended = () => output.find((line) => /^(completed|failed|cancelled) /.test(line))
  await new Promise<void>((resolve) => {
    const look = () => ended() && resolve()
    process.stdout?.on('data', () => setImmediate(look))
    look()
  })
  expect(ended()).toMatch(/^completed /)
}
