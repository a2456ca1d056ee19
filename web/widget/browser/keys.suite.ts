// The keyboard of the widget: what each key does, typing during requests, and focus.
import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page, resultsOf, search } from './widget-page.ts'

export function describeKeys(): void {
  const result = (index: number) => ({
    ...{ title: `Roses ${index}`, page_title: 'Garden', content: null, source_type: 'site' },
    // Texts of different lengths: the browser only estimates the height of a result until layout.
    fragment: 'Water roses twice a week, and more often in a hot summer. '.repeat(1 + ((index * 7) % 9)),
    url: `https://docs.example.org/garden/page-${index % 4}#roses-${index}`,
  })

  /** `config` replaces the project's settings. */
  async function open(attributes = '', context?: BrowserContextOptions, config?: object) {
    lab.chat.answers.set('search/', () => ({
      results: Array.from({ length: 24 }, (_, index) => result(index)),
    }))
    const markup = `<lectern-search project="docs" ${attributes}></lectern-search>`
    const prepare = (each: Page) =>
      each.route('**/widget-config/docs', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), ...config } })
      })
    await openWidgetPage({ markup, context, ...(config && { prepare }) })
  }

  const field = () => page.locator('#query')
  const options = () => page.locator('[role=option]')
  const isOpen = () => page.locator('lectern-search dialog[open]').count()
  const chosen = () => field().getAttribute('aria-activedescendant')

  test('arrows, Home and End select, and wrap around the ends', async () => {
    await open()
    await search('r')
    await page.keyboard.press('Home')
    expect(await chosen()).toBeNull()
    for (const [key, index] of [
      ['ArrowDown', 0],
      ['ArrowDown', 1],
      ['End', 23],
      ['ArrowDown', 0],
      ['ArrowUp', 23],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await chosen()).toBe(`result-${index}`)
      expect(await page.locator('[aria-selected=true]').count()).toBe(1)
    }
  })

  test.each([390, 1100])('keeps the selection in view, on a screen of %i pixels', async (width) => {
    await open('', { viewport: { width, height: 700 } })
    await search('r')
    const cut = () =>
      page.evaluate(() => {
        const root = document.querySelector('lectern-search')!.shadowRoot!
        const result = root.querySelector('[aria-selected=true]')!.getBoundingClientRect()
        const list = root.querySelector('.found')!.getBoundingClientRect()
        return Math.max(0, Math.ceil(list.top - result.top), Math.ceil(result.bottom - list.bottom))
      })
    for (const key of ['ArrowDown', 'End', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Home', 'ArrowUp', 'ArrowDown']) {
      await page.keyboard.press(key)
      await expect.poll(cut, { message: key }).toBe(0)
    }
  })

  /** Returns the id, label, text or value of the focused element of the widget. */
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document
      const inner = activeElement?.shadowRoot?.activeElement
      if (!inner) return `outside: ${activeElement?.localName}`
      const { id, ariaLabel, textContent } = inner
      return id || ariaLabel || textContent || (inner as HTMLInputElement).value
    })

  async function expectRound(stops: string[]) {
    for (const stop of [...stops.slice(1), ...stops]) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(stop)
    }
    for (const stop of stops.toReversed().slice(1)) {
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).toBe(stop)
    }
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe(stops.at(-1))
  }

  test('Tab stays in the dialog wherever the list is scrolled', async () => {
    await open()
    await search('r')
    for (let times = 0; times < 10; times++) {
      await field().focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('End')
      await expectRound(['query', 'clear', 'Close', 'ask'])
    }
  })

  test('Tab stops once at the filters, and continues from a focused result', async () => {
    await open('filter="Guide"', undefined, { filters: [{ title: 'Guide' }, { title: 'API' }] })
    await search('r')
    await expectRound(['query', 'clear', 'Close', 'Guide', 'ask'])
    for (const [key, stop] of [
      ['Tab', 'query'],
      ['Shift+Tab', 'ask'],
    ] as const) {
      await page.locator('#result-1').focus()
      await page.keyboard.press(key)
      expect(await focused()).toBe(stop)
    }
  })

  test('Tab returns to the dialog after the focused element was removed', async () => {
    await open()
    await search('r')
    await page.evaluate(() => {
      const button = document.querySelector('lectern-search')!.shadowRoot!.querySelector<HTMLElement>('#ask')!
      button.focus()
      button.remove()
    })
    expect(await focused()).toBe('outside: body')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('query')
  })

  test('Tab stops at the links, tables and buttons of an answer', async () => {
    await openWidgetPage({ markup: '<lectern-ask project="docs"></lectern-ask>' })
    await page.getByRole('button', { name: 'Ask AI' }).click()
    await page.locator('#question').fill('How often?')
    await page.keyboard.press('Enter')
    const turn = await lab.chat.next()
    turn.status('searching_docs', 'started')
    turn.status('searching_docs', 'completed')
    turn.final('[Twice](https://docs.example.org/often) a week [1].\n\n| a | b |\n|---|---|\n| 1 | 2 |', {
      sources: [{ title: 'Roses', url: 'https://docs.example.org/roses', quote: 'Twice a week.' }],
    })
    await page.locator('.turn-foot').waitFor()
    const answer = [
      'How this answer was made',
      'Twice',
      'Source 1: Roses',
      'ab12',
      'Rosesdocs.example.org › roses',
    ]
    const foot = ['Copy answer', 'Helpful', 'Not helpful']
    await expectRound(['question', 'think', 'send', 'chat-new', 'chat-close', 'chat-log', ...answer, ...foot])
  })

  test('Enter opens the selection, with Ctrl in a new tab, which leaves the search open', async () => {
    // Its own context, because the new tab requests another site, too.
    await open('', {})
    await page.context().route('https://docs.example.org/**', (route) => route.fulfill({ body: 'Roses' }))
    await search('r')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const tab = page.context().waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    const href = await page.locator('#result-1').getAttribute('href')
    await (await tab).waitForURL(href!)
    expect(await isOpen()).toBe(1)
    expect((await opened.events()).filter((event) => event.startsWith('click '))).toHaveLength(1)
    await page.keyboard.press('Enter')
    await page.waitForURL('https://docs.example.org/**')
  })

  test('Shift+Enter asks the typed text', async () => {
    await open()
    await search('How often do I water?')
    await page.keyboard.press('Shift+Enter')
    expect((await lab.chat.next()).message).toMatchObject({ message: 'How often do I water?' })
  })

  test('Esc clears the selection, then the field, then closes and returns the focus', async () => {
    await open()
    const trigger = page.locator('lectern-search').getByRole('button')
    await trigger.focus()
    await search('r')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect([await chosen(), await field().inputValue()]).toEqual([null, 'r'])
    await page.keyboard.press('Escape')
    expect([await field().inputValue(), await isOpen()]).toEqual(['', 1])
    await page.keyboard.press('Escape')
    expect(await isOpen()).toBe(0)
    await expect.poll(() => trigger.evaluate((button) => button.matches(':focus'))).toBe(true)
  })

  test.each<[attributes: string, opens: string[], leaves: string[]]>([
    ['', ['Control+k', '/'], ['k', 'Control+j', 'Alt+/']],
    ['shortcuts="mod+j, ?"', ['Control+j', '?'], ['Control+k', '/']],
    ['shortcuts="none"', [], ['Control+k', '/']],
  ])('shortcuts: %s', async (attributes, opens, leaves) => {
    await open(attributes)
    for (const key of leaves) {
      await page.keyboard.press(key)
      expect(await isOpen(), key).toBe(0)
    }
    for (const key of opens) {
      await page.keyboard.press(key)
      await expect.poll(isOpen, { message: key }).toBe(1)
      await page.keyboard.press('Escape')
      await expect.poll(isOpen, { message: key }).toBe(0)
    }
  })

  test('a shortcut in the same frame as closing opens the dialog again', async () => {
    await open()
    await search('r')
    const isOpenAgain = await page.evaluate(() => {
      const widget = document.querySelector('lectern-search') as HTMLElement & { close(): void }
      widget.close()
      const target = widget.shadowRoot!.activeElement ?? document.activeElement!
      target.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, composed: true }))
      return widget.shadowRoot!.querySelector('dialog')!.open
    })
    expect(isOpenAgain).toBe(true)
  })

  test('aborts a search that a newer one replaces, and keeps old results until new ones arrive', async () => {
    await open()
    await search('r')
    const failed: string[] = []
    const query = (request: Request) => new URL(request.url()).searchParams.get('q')
    page.on('requestfailed', (request) => failed.push(`${query(request)} ${request.failure()?.errorText}`))
    const asked: (string | null)[] = []
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/search/?*', async (route) => {
      asked.push(query(route.request()))
      await held
      // One of them is aborted.
      await route.continue().catch(() => {})
    })
    await page.keyboard.type('o')
    await expect.poll(() => asked).toEqual(['ro'])
    await page.keyboard.type('s')
    await expect.poll(() => failed).toEqual(['ro net::ERR_ABORTED'])
    expect(await options().count()).toBe(24)
    lab.chat.answers.set('search/', () => ({ results: [result(1)] }))
    release()
    await resultsOf('ros')
    expect(await options().count()).toBe(1)
    expect(failed).toHaveLength(1)
    expect(opened.errors).toEqual([])
  })
}
