// Hostile, careless or offline pages: the widget works, or explains in one sentence why not, and throws nothing.
import type { BrowserContextOptions, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../../../test/e2e/browser.ts'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page, search } from './widget-page.ts'

export function describeHostile(): void {
  let thrown: string[]

  const found = { title: 'Roses', page_title: 'Garden', fragment: 'Water them.', source_type: 'site' }
  const results = () => ({ results: [{ ...found, content: null, url: 'https://docs.example.org/roses' }] })
  const shown = (text: string) => page.getByText(text, { exact: false }).first().waitFor()

  async function open(
    prepare?: (page: Page) => Promise<unknown>,
    context?: BrowserContextOptions,
    directives: string[] = [],
  ) {
    lab.chat.answers.set('search/', results)
    thrown = []
    const markup = '<lectern-search project="docs"></lectern-search>'
    const prepareAll = async (each: Page) => {
      each.on('pageerror', (error) => thrown.push(error.message))
      await prepare?.(each)
    }
    await openWidgetPage({
      markup,
      prepare: prepareAll,
      context,
      directives,
    })
  }

  async function type() {
    await page.keyboard.press('/')
    await page.keyboard.insertText('roses')
  }

  test.each([
    ['everything unset', '* { all: unset !important }'],
    ['all boxes hidden', 'div, form, button, input, dialog, a, p, span, ul { display: none !important }'],
    [
      'everything exaggerated',
      '* { font: 60px serif !important; color: red !important; letter-spacing: 1em !important; text-transform: uppercase !important; white-space: pre !important; text-indent: 9em !important; line-height: 9 !important; transition: all 9s !important }',
    ],
  ])('%s by the style sheet of the page', async (name, css) => {
    await open(undefined, { bypassCSP: true })
    const look = () =>
      page.locator('lectern-search').evaluate((element) => {
        const button = element.shadowRoot!.querySelector('button')!
        const { fontSize, color, letterSpacing, textTransform, whiteSpace, backgroundColor } =
          getComputedStyle(button)
        return {
          fontSize,
          color,
          letterSpacing,
          textTransform,
          whiteSpace,
          backgroundColor,
          height: button.offsetHeight,
        }
      })
    const before = await look()
    await page.addStyleTag({ content: css })
    expect(await look()).toEqual(before)
    await search('roses')
    const styles = await page.evaluate(() => {
      const root = document.querySelector('lectern-search')!.shadowRoot!
      const read = (selector: string) => getComputedStyle(root.querySelector(selector)!)
      return [read('.title').textTransform, read('dialog').fontSize]
    })
    expect(styles).toEqual(['none', '15px'])
    await takeScreenshot(page, `widget-hostile-${name.replaceAll(' ', '-')}`)
    expect(thrown).toEqual([])
  })

  test('leaves names of elements that the page has defined to the page', async () => {
    await open((each) =>
      each.addInitScript(() => {
        customElements.define('lectern-ask', class extends HTMLElement {})
        customElements.define('biel-button', class extends HTMLElement {})
      }),
    )
    await search('roses')
    expect(opened.errors).toEqual([])
  })

  test.each([
    [
      'throws',
      () =>
        (window.fetch = () => {
          throw new Error('no')
        }),
    ],
    ['never answers JSON', () => (window.fetch = async () => new Response('<html>'))],
    [
      'answers nonsense',
      () => (window.fetch = async () => Response.json({ results: 'none', name: {}, filters: 1 })),
    ],
  ])("shows a sentence if the page's fetch %s", async (_, patch) => {
    await open((each) => each.addInitScript(patch))
    await type()
    await page.locator('.notice h2, .loading[role=alert]').first().waitFor()
    expect(thrown).toEqual([])
  })

  test('works with methods that the page has patched', async () => {
    await open((each) =>
      each.addInitScript(() => {
        Object.assign(Array.prototype, { extra: () => 'of the page' })
        Object.assign(Object.prototype, { more: 'of the page' })
        JSON.parse = new Proxy(JSON.parse, {})
      }),
    )
    await search('roses')
    expect(opened.errors).toEqual([])
  })

  const answer =
    (status: number, body: object, headers: Record<string, string> = {}) =>
    (route: Route) =>
      route.fulfill({
        status,
        json: body,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'retry-after',
          ...headers,
        },
      })

  test.each<[string, (route: Route) => Promise<void>, string]>([
    ['unknown', answer(404, { error: 'no project', code: 'not_found' }), 'There is no project “docs” here'],
    ['private', answer(401, { error: 'a key', code: 'unauthenticated' }), 'This project is private'],
    [
      'a site that is not allowed',
      answer(403, { error: 'no', code: 'domain_not_allowed' }),
      'Questions from this site are not allowed',
    ],
    [
      'too many requests',
      answer(429, { error: 'slow', code: 'rate_limited' }, { 'retry-after': '7' }),
      'Wait 7 seconds, then try again.',
    ],
    ['broken', answer(500, { error: 'internal error', code: 'internal' }), 'The search failed'],
    ['not there', (route) => route.abort(), 'The server does not answer'],
    ['not there, while the reader is online', (route) => route.abort(), 'Try again in a moment.'],
  ])('explains the error in words: %s', async (_, respond, sentence) => {
    await open((each) => each.route(`${lab.chat.origin}/api/**`, respond))
    await type()
    await shown(sentence)
    expect(await page.locator('.notice h2').count()).toBe(1)
    expect(thrown).toEqual([])
  })

  test('retries a 503 once, silently', async () => {
    let times = 0
    await open((each) =>
      each.route(`${lab.chat.origin}/api/**`, (route) =>
        ++times === 1 ? answer(503, { error: 'away', code: 'unavailable' })(route) : route.continue(),
      ),
    )
    await page.keyboard.press('/')
    await page.keyboard.press('r')
    await page.locator('[role=option]').waitFor()
    expect(times).toBe(2)
    expect((await opened.events()).filter((event) => event.startsWith('error'))).toEqual([])
  })

  test('reports that the reader is offline, and searches again when online', async () => {
    await open(undefined, {})
    await page.keyboard.press('/')
    await page.locator('.search').waitFor()
    await page.context().setOffline(true)
    await page.keyboard.insertText('roses')
    await shown('No connection')
    await page.context().setOffline(false)
    await page.locator('[role=option]').waitFor()
    expect(thrown).toEqual([])
  })

  test('asks to reload the page if an old script finds no chunks', async () => {
    await open((each) => each.route(`${lab.chat.origin}/assets/**`, answer(404, {})))
    await type()
    await shown('No connection. Reload the page.')
    expect((await opened.events()).at(-1)).toContain('"code":"load"')
    expect(thrown).toEqual([])
  })

  test('searches and asks in a sandbox without an origin', async () => {
    await open(undefined, undefined, ['sandbox allow-scripts'])
    await search('roses')
    await page.keyboard.press('Shift+Enter')
    const turn = await lab.chat.next()
    turn.final('Twice a week.')
    await page.locator('.turn-foot').waitFor()
    expect(thrown).toEqual([])
  })

  test.each([
    [
      'https://docs.example.org/',
      'http://lectern.example.net/',
      'This page cannot connect to lectern.example.net',
    ],
    [
      'https://docs.example.org/',
      'https://10.0.0.7/',
      'The browser blocks connections from this page to 10.0.0.7',
    ],
  ])('explains a refusal of the browser, from %s to %s', async (site, server, sentence) => {
    await open()
    const body = `<!doctype html><lectern-search project="docs" api-url="${server}"></lectern-search><script async src="/widget.js"></script>`
    await page.route(`${site}**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body })
      return route.fulfill({ response: await page.context().request.get(lab.chat.origin + pathname) })
    })
    await page.route(`${server}**`, (route) => route.abort())
    await page.goto(site)
    await page.waitForFunction(() => customElements.get('lectern-search') !== undefined)
    await type()
    await shown(sentence)
    expect(thrown).toEqual([])
  })

  test('counts a click once, also when it leaves the page', async () => {
    const clicks: string[] = []
    await open((each) =>
      each.route('https://docs.example.org/**', (route) => route.fulfill({ body: 'Roses' })),
    )
    page.on('request', (request) => {
      if (request.url().endsWith('/search/click/')) clicks.push(request.method())
    })
    lab.chat.answers.set('search/click/', () => ({}))
    const before = lab.chat.calls.length
    await search('roses')
    await page.keyboard.press('Enter')
    await page.waitForURL('https://docs.example.org/roses')
    const counted = () => lab.chat.calls.slice(before).filter(({ path }) => path === 'search/click/')
    await expect.poll(() => counted().length).toBe(1)
    expect(counted()[0]!.body).toMatchObject({ query: 'roses', position: 1 })
    await expect.poll(() => clicks).toEqual(['POST'])
  })
}
