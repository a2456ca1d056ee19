// The widget by its keys: what each does, what is typed while something is on its way, and where the focus stays.
import type { BrowserContextOptions, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page } from './widget-page.ts'

export function describeKeys(): void {
  const result = (index: number) => ({
    ...{ title: `Roses ${index}`, page_title: 'Garden', content: null, source_type: 'site' },
    // Texts of different lengths: what a list knows of the height of a result is a guess until it is laid out.
    fragment: 'Water roses twice a week, and more often in a hot summer. '.repeat(1 + ((index * 7) % 9)),
    url: `https://docs.example.org/garden/page-${index % 4}#roses-${index}`,
  })

  async function open(attributes = '', context?: BrowserContextOptions) {
    lab.chat.answers.set('search/', () => ({
      results: Array.from({ length: 24 }, (_, index) => result(index)),
    }))
    const markup = `<lectern-search project="docs" ${attributes}></lectern-search>`
    await openWidgetPage({ markup, context })
  }

  const field = () => page.locator('lectern-search input')
  const options = () => page.locator('[role=option]')
  const isOpen = () => page.locator('lectern-search dialog[open]').count()
  const chosen = () => field().getAttribute('aria-activedescendant')

  async function search(query: string) {
    await page.keyboard.press('/')
    await page.keyboard.type(query)
    await page.getByText('24 results on').waitFor()
  }

  test('arrows, Home and End choose, around the ends', async () => {
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

  test.each([390, 1100])('what is chosen is in view, on a screen of %i pixels', async (width) => {
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

  test('Tab stays in the dialog wherever the list is scrolled to', async () => {
    await open()
    await search('r')
    for (let times = 0; times < 10; times++) {
      await field().focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('End')
      for (let tabs = 0; tabs < 5; tabs++) {
        await page.keyboard.press('Tab')
        expect(await page.evaluate(() => document.activeElement?.localName)).toBe('lectern-search')
      }
    }
  })

  test('Enter opens what is chosen, with Ctrl in a new tab; the search stays there', async () => {
    // Of its own: the new tab asks another site, too.
    await open('', {})
    await page.context().route('https://docs.example.org/**', (route) => route.fulfill({ body: 'Roses' }))
    await search('r')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const tab = page.context().waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    expect((await tab).url()).toBe(await page.locator('#result-1').getAttribute('href'))
    expect(await isOpen()).toBe(1)
    expect((await opened.events()).filter((event) => event.startsWith('click '))).toHaveLength(1)
    await page.keyboard.press('Enter')
    await page.waitForURL('https://docs.example.org/**')
  })

  test('Shift+Enter asks what is typed', async () => {
    await open()
    await search('How often do I water?')
    await page.keyboard.press('Shift+Enter')
    expect((await lab.chat.next()).message).toMatchObject({ message: 'How often do I water?' })
  })

  test('Esc lets go of the choice, then empties the field, then closes', async () => {
    await open()
    await search('r')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect([await chosen(), await field().inputValue()]).toEqual([null, 'r'])
    await page.keyboard.press('Escape')
    expect([await field().inputValue(), await isOpen()]).toEqual(['', 1])
    await page.keyboard.press('Escape')
    expect(await isOpen()).toBe(0)
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

  test('a shortcut in the same frame as the closing opens the dialog again', async () => {
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

  test('a search that a newer one replaces is aborted, and old results stay until there are new ones', async () => {
    await open()
    await search('r')
    const failed: string[] = []
    const query = (request: Request) => new URL(request.url()).searchParams.get('q')
    page.on('requestfailed', (request) => failed.push(`${query(request)} ${request.failure()?.errorText}`))
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/search/?*', async (route) => {
      await held
      // One of them is aborted.
      await route.continue().catch(() => {})
    })
    const first = page.waitForRequest((request) => query(request) === 'ro')
    await page.keyboard.type('o')
    await first
    await page.keyboard.type('s')
    await expect.poll(() => failed).toEqual(['ro net::ERR_ABORTED'])
    expect(await options().count()).toBe(24)
    lab.chat.answers.set('search/', () => ({ results: [result(1)] }))
    release()
    await page.getByText('1 result on').waitFor()
    expect(await options().count()).toBe(1)
    expect(failed).toHaveLength(1)
    expect(opened.errors).toEqual([])
  })
}
