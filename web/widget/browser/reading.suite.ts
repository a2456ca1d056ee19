// The widget for readers: in Chromium, on pages of another origin, with the strictest policy that a site may have.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openTab, takeScreenshot } from '../../../test/e2e/browser.ts'
import type { LecternProcess } from '../../../test/e2e/lectern-process.ts'
import { lab } from './lab.ts'
import { openWidgetPage, search as runSearch } from './widget-page.ts'

export function describeReading(): void {
  let lectern: LecternProcess
  beforeAll(() => {
    lectern = lab.harbor.lectern
  })

  function open(markup: string, context?: BrowserContextOptions, html?: string) {
    return openWidgetPage({
      ...{ server: lectern.baseUrl, markup, context },
      ...(html && { html }),
    })
  }

  const search = (page: Page) => page.locator('lectern-search')
  const field = (page: Page) => search(page).locator('input')
  const results = (page: Page) => search(page).locator('[role=option]')

  test('requests only its script before the reader does anything', async () => {
    const { page, requests, errors } = await open('<lectern-search project="manual"></lectern-search>')
    await search(page).getByRole('button').waitFor()
    expect(requests).toEqual(['/widget.js'])
    expect(errors).toEqual([])
  })

  test('searches while a reader types, and keeps letters typed before it was loaded', async () => {
    const opened = await open('<lectern-search project="manual"></lectern-search>')
    const { page, errors, hosts, events } = opened
    const release = await holdAssets(page)
    await page.keyboard.press('/')
    await page.keyboard.type('sched')
    expect(await field(page).inputValue()).toBe('sched')
    release()
    await results(page).first().waitFor()
    await page.keyboard.type('ule')
    await expect.poll(() => field(page).inputValue()).toBe('schedule')
    await search(page).getByText('results on').waitFor()
    await takeScreenshot(page, 'widget-search')
    expect(errors).toEqual([])
    expect([...hosts].filter((host) => !host.startsWith('localhost'))).toEqual([
      new URL(lectern.baseUrl).host,
    ])
    expect((await events())[0]).toBe('open {"mode":"search"}')
    await expect
      .poll(async () => (await events()).at(-1))
      .toMatch(/^results \{"query":"schedule","count":[1-9]/)
  })

  test('accepts the UUID of a project as well as its slug', async () => {
    const { body } = await lectern.call('GET', '/api/v2/projects/manual/')
    const { page } = await open(`<lectern-search project="${body.uuid}"></lectern-search>`)
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('schedule')
    await results(page).first().waitFor()
  })

  test('leaves / to fields, editors and other shadow roots of the page', async () => {
    const { page } = await open('<lectern-search project="manual"></lectern-search><div id="other"></div>')
    await page.evaluate(() => {
      const root = document.querySelector('#other')!.attachShadow({ mode: 'closed' })
      const input = document.createElement('input')
      root.append(input)
      Object.assign(window, { other: input })
    })
    for (const focus of [
      () => page.locator('#own').focus(),
      () => page.locator('#editor').focus(),
      () => page.evaluate(() => (window as unknown as { other: HTMLElement }).other.focus()),
    ]) {
      await focus()
      await page.keyboard.press('/')
      expect(await search(page).locator('dialog').count()).toBe(0)
    }
    expect(await page.locator('#own').inputValue()).toBe('/')
  })

  test('counts a click once and remembers the page, unless the site forbids it', async () => {
    const { page, requests, events } = await open('<lectern-search project="manual"></lectern-search>')
    await runSearch('webhook sync')
    await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()))
    await results(page).first().click()
    await page.keyboard.press('/')
    await expect.poll(() => requests.filter((url) => url.includes('/search/click/')).length).toBe(1)
    expect((await events()).filter((event) => event.startsWith('click '))).toHaveLength(1)
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['lectern-recent:manual'])

    const other = await open('<lectern-search project="manual" privacy="none"></lectern-search>')
    await runSearch('webhook sync')
    await other.page.evaluate(() => addEventListener('click', (event) => event.preventDefault()))
    await results(other.page).first().click()
    expect(await other.page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0])
  })

  test('asks the typed text, streams the answer and keeps the conversation after a reload', async () => {
    const { page, errors, events } = await open('<lectern-search project="manual"></lectern-search>')
    await runSearch('how do I sync on a schedule')
    await page.keyboard.press('Shift+Enter')
    const answer = search(page).locator('.turn')
    await expect.poll(async () => (await events()).some((event) => event.startsWith('answer '))).toBe(true)
    await takeScreenshot(page, 'widget-ask')
    const text = await answer.locator('.prose').innerText()
    expect(text).toContain('cron')
    expect(await answer.locator('.sources li').count()).toBeGreaterThan(0)
    await page.reload()
    await page.waitForFunction(() => customElements.get('lectern-search') !== undefined)
    await search(page).evaluate((element) =>
      (element as unknown as { open(how: object): void }).open({ mode: 'ask' }),
    )
    await answer.locator('.prose').waitFor()
    expect(await answer.locator('.prose').innerText()).toBe(text)
    expect(errors).toEqual([])
  })

  test('follows the theme of the page while open', async () => {
    const { page } = await open('<lectern-search project="manual"></lectern-search>', {
      colorScheme: 'light',
    })
    const color = () =>
      search(page)
        .getByRole('button')
        .evaluate((button) => getComputedStyle(button).backgroundColor)
    const light = await color()
    for (const [name, dark, bright] of [
      ['data-theme', 'dark', 'light'],
      ['data-md-color-scheme', 'slate', 'default'],
      ['data-bs-theme', 'dark', 'light'],
      ['class', 'dark', ''],
    ] as const) {
      const set = (value: string) =>
        page.evaluate(([each, to]) => document.documentElement.setAttribute(each!, to!), [name, value])
      await set(dark)
      await expect.poll(color, { message: `${name}=${dark}` }).not.toBe(light)
      await set(bright)
      await expect.poll(color, { message: `${name}=${bright}` }).toBe(light)
      await page.evaluate((each) => document.documentElement.removeAttribute(each), name)
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(color).not.toBe(light)
  })

  test.each([
    ['no-such-project', 'There is no project “no-such-project” here'],
    ['closed', 'This project is private'],
  ])('explains what is wrong with the project %s', async (project, sentence) => {
    await lectern.call('POST', '/api/v2/projects/', { name: 'Closed', slug: 'closed', is_private: true })
    const { page, events } = await open(`<lectern-search project="${project}"></lectern-search>`)
    await page.keyboard.press('/')
    await search(page).getByRole('heading', { name: sentence }).waitFor()
    await expect.poll(async () => (await events()).at(-1)).toMatch(/^error /)
  })

  test('scripts can open, close and prevent it, and change its attributes', async () => {
    const { page, events } = await open('<lectern-search project="nothing"></lectern-search>')
    await search(page).evaluate((element) => {
      element.setAttribute('project', 'manual')
      ;(element as unknown as { open(how: object): void }).open({ query: 'schedule' })
    })
    await results(page).first().waitFor()
    await search(page).evaluate((element) => (element as unknown as { close(): void }).close())
    await page.evaluate(() => addEventListener('lectern:before-open', (event) => event.preventDefault()))
    await page.keyboard.press('/')
    expect(await search(page).locator('dialog[open]').count()).toBe(0)
    const names = async () => (await events()).map((event) => event.split(' ')[0])
    // The browser fires the close event of a dialog in a separate task.
    await expect
      .poll(async () => (await names()).filter((name) => name === 'open' || name === 'close'))
      .toEqual(['open', 'close'])
  })

  test('shows old elements with their texts, attributes and events when only the script changes', async () => {
    const markup = `<biel-search-button project="manual" api-url="${lectern.baseUrl}/api/v1">Search the guide</biel-search-button>
      <biel-button project="manual" button-position="bottom-right" header-title="Guide AI">Ask the guide</biel-button>
      <biel-bot project="manual"></biel-bot>`
    const { page, errors } = await open(markup)
    await page.evaluate(() => {
      const old: string[] = []
      Object.assign(window, { old })
      for (const name of ['bielSearchButtonClick', 'bielBotButtonClick', 'messageSent', 'closeBot']) {
        addEventListener(name, () => old.push(name))
      }
    })
    await page.getByRole('button', { name: 'Search the guide' }).click()
    await page.keyboard.insertText('schedule')
    await page.locator('biel-search-button [role=option]').first().waitFor()
    for (let times = 0; times < 2; times++) await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ask the guide' }).click()
    const ask = page.locator('biel-button')
    await ask.getByRole('heading', { name: 'Guide AI' }).waitFor()
    await ask.locator('textarea').fill('how do I sync on a schedule')
    await page.keyboard.press('Enter')
    await ask.locator('.turn .sources').waitFor()
    await ask.evaluate((element) => element.setAttribute('header-title', 'Renamed'))
    expect(await page.evaluate(() => (window as unknown as { old: string[] }).old)).toEqual(
      expect.arrayContaining(['bielSearchButtonClick', 'bielBotButtonClick', 'messageSent', 'closeBot']),
    )
    expect(errors).toEqual([])
  })

  test('can be tried on a page of Lectern, which shows the markup', async () => {
    const { page, errors } = await openTab(lab.context)
    await page.goto(`${lectern.baseUrl}/demo/manual/widget`)
    await page.getByLabel('theme').selectOption('dark')
    await page.getByRole('radio', { name: 'lectern-panel' }).check()
    await page.locator('lectern-panel input').fill('schedule')
    await page.locator('lectern-panel [role=option]').first().waitFor()
    expect(await page.locator('pre').first().innerText()).toBe(
      `<script async src="${lectern.baseUrl}/widget.js"></script>\n<lectern-panel project="manual" theme="dark"></lectern-panel>`,
    )
    await takeScreenshot(page, 'widget-try')
    expect(errors).toEqual([])
  })

  test('works as a panel in the page, on a small screen', async () => {
    const { page, errors } = await open('<lectern-panel project="manual"></lectern-panel>', {
      viewport: { width: 390, height: 780 },
    })
    const panel = page.locator('lectern-panel')
    await panel.locator('input').fill('schedule')
    await panel.locator('[role=option]').first().waitFor()
    await takeScreenshot(page, 'widget-panel-390')
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
    expect(errors).toEqual([])
  })
}

/** Holds the bundles back until the returned function is called. */
async function holdAssets(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/**', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}
