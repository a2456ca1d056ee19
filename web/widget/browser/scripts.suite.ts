// The widget with scripts of the page: methods, attributes, events, and pages that change around it.
import { expect, test } from 'vitest'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page, resultsOf, search } from './widget-page.ts'

type Widget = HTMLElement & { open(how?: object): void; close(): void; destroy(): void }

export function describeScripts(): void {
  const url = 'https://docs.example.org/roses'
  const found = {
    title: 'Roses',
    page_title: 'Garden',
    fragment: 'Water them.',
    source_type: 'site',
    content: null,
  }

  async function open(markup: string) {
    lab.chat.answers.set('search/', () => ({ results: [{ ...found, url }] }))
    lab.chat.answers.set('search/click/', () => ({}))
    await openWidgetPage({ markup })
    await page.route('https://docs.example.org/**', (route) => route.fulfill({ body: '' }))
  }

  const widget = () => page.locator('lectern-search')
  const isOpen = () => page.locator('lectern-search dialog[open]').count()

  /** Records every event with its detail, and prevents those listed. */
  const listen = (prevented: string[] = []) =>
    page.evaluate((names) => {
      const all: [string, unknown, boolean, boolean][] = []
      Object.assign(window, { all })
      const dispatch = EventTarget.prototype.dispatchEvent
      EventTarget.prototype.dispatchEvent = function (event) {
        if (event.type.startsWith('lectern:')) {
          const { detail, cancelable, bubbles, composed } = event as CustomEvent
          all.push([event.type.slice(8), detail, cancelable, bubbles && composed])
        }
        return dispatch.call(this, event)
      }
      for (const name of names) addEventListener(`lectern:${name}`, (event) => event.preventDefault())
    }, prevented)
  const heard = () =>
    page.evaluate(() => (window as unknown as { all: [string, unknown, boolean, boolean][] }).all)

  test('fires an event for each step outside of the shadow root, and a preventable one before it', async () => {
    await open('<lectern-search project="docs"></lectern-search>')
    await listen()
    await search('r')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await page.bringToFront()
    await page.keyboard.press('Shift+Enter')
    const turn = await lab.chat.next()
    turn.final('Twice a week [1], with `rose`.', { sources: [{ title: 'Roses', url, quote: 'Twice.' }] })
    lab.chat.answers.set(
      `messages/${`22222222-2222-4222-8222-${turn.message.requestId.slice(-12)}`}/feedback/`,
      () => ({}),
    )
    await page.locator('.source').click()
    await page.bringToFront()
    await page.locator('[data-name=thumb-up]').click()
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await expect.poll(async () => (await heard()).at(-1)?.[0]).toBe('copy')
    await page.route('**/search/?*', (route) => route.abort())
    await widget().evaluate((element) => (element as Widget).open({ mode: 'search', query: 'lost' }))
    await expect.poll(async () => (await heard()).at(-1)?.[0]).toBe('error')
    await widget().evaluate((element) => (element as Widget).close())
    await expect.poll(async () => (await heard()).at(-1)?.[0]).toBe('close')
    const messageId = expect.any(String)
    const sources = [{ title: 'Roses', url, quote: 'Twice.' }]
    const click = { query: 'r', url, position: 1 }
    const all = await heard()
    expect(all.map(([name, detail]) => [name, detail])).toEqual([
      ['before-open', { mode: 'search', query: '' }],
      ['open', { mode: 'search' }],
      ['search', { query: 'r', filter: '' }],
      ['results', { query: 'r', count: 1 }],
      ['before-click', click],
      ['click', click],
      ['before-ask', { question: 'r' }],
      ['ask', { question: 'r' }],
      [
        'answer',
        { question: 'r', answer: 'Twice a week [1], with `rose`.', messageId, outcome: null, sources },
      ],
      ['source', { messageId, url, title: 'Roses' }],
      ['feedback', { messageId, reaction: 1 }],
      ['copy', {}],
      ['before-open', { mode: 'search', query: 'lost' }],
      ['open', { mode: 'search' }],
      ['search', { query: 'lost', filter: '' }],
      ['error', { code: 'offline', message: expect.any(String) }],
      ['before-close', {}],
      ['close', {}],
    ])
    for (const [name, , cancelable, leaves] of all) {
      expect([name, cancelable, leaves]).toEqual([name, name.startsWith('before-'), true])
    }
  })

  test('does not do what a listener prevents', async () => {
    await open('<lectern-search project="docs"></lectern-search>')
    await search('r')
    await listen(['before-click', 'before-ask', 'before-close'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+Enter')
    await page.locator('#question').waitFor()
    await widget().evaluate((element) => (element as Widget).close())
    expect(await isOpen()).toBe(1)
    expect(new URL(page.url()).hostname).toBe('localhost')
    expect(lab.chat.hasMore()).toBe(false)
    const names = (await heard()).map(([name]) => name)
    expect(names).toEqual(['before-click', 'before-ask', 'before-close'])
  })

  test('`destroy()` removes everything, and an element that is added again works', async () => {
    await open('<lectern-search project="docs"></lectern-search>')
    await page.keyboard.press('/')
    await page.locator('.search').waitFor()
    await widget().evaluate((element) => {
      ;(element as Widget).destroy()
      ;(element as Widget).destroy()
      ;(element as Widget).close()
    })
    expect(await widget().evaluate((element) => element.shadowRoot!.childElementCount)).toBe(0)
    await page.keyboard.press('/')
    expect(await isOpen()).toBe(0)
    await widget().evaluate((element) => {
      const { parentElement } = element
      element.remove()
      parentElement!.append(element)
    })
    await search('r')
    expect(opened.errors).toEqual([])
  })

  test('keeps one working search on a page that renders itself again', async () => {
    await open('<div id="app"><lectern-search project="docs"></lectern-search></div>')
    for (let times = 0; times < 3; times++) {
      await search('r')
      // As a router does it, with the dialog open.
      await page.evaluate((at) => {
        history.pushState(null, '', `/guide/page-${at}`)
        const element = document.createElement('lectern-search')
        element.setAttribute('project', 'docs')
        document.querySelector('#app')!.replaceChildren(element)
      }, times)
      expect(await isOpen()).toBe(0)
    }
    const asked = page.waitForRequest(/\/search\/\?/)
    await page.keyboard.press('/')
    await page.keyboard.type('r')
    expect(new URL((await asked).url()).searchParams.get('url')).toContain('/guide/page-2')
    expect(await isOpen()).toBe(1)
    expect(opened.errors).toEqual([])
  })

  test('applies a changed theme, text and language at once', async () => {
    await open('<lectern-search project="docs" theme="light"></lectern-search>')
    const trigger = widget().getByRole('button')
    const color = () => trigger.evaluate((each) => getComputedStyle(each).backgroundColor)
    const light = await color()
    const set = (name: string, value: string) =>
      widget().evaluate((element, [each, to]) => element.setAttribute(each!, to!), [name, value])
    await set('theme', 'dark')
    await expect.poll(color).not.toBe(light)
    await set('placeholder', 'Find roses')
    await expect.poll(() => trigger.innerText()).toContain('Find roses')
    await search('r')
    // Typed text stays.
    await set('lang', 'de')
    await page.getByText('1 Ergebnis').waitFor()
    expect(await widget().locator('input').inputValue()).toBe('r')
    expect(await isOpen()).toBe(1)
  })

  test('two elements of different projects on a page are independent', async () => {
    await openWidgetPage({
      server: lab.harbor.lectern.baseUrl,
      markup: `<lectern-search project="manual" shortcuts="mod+k"></lectern-search>
        <lectern-search project="harbor" shortcuts="mod+j"></lectern-search>
        <lectern-panel project="harbor"></lectern-panel>`,
    })
    for (const [key, project, query] of [
      ['Control+k', 'manual', 'schedule'],
      ['Control+j', 'harbor', 'proxy'],
    ] as const) {
      const asked = page.waitForRequest(/\/search\/\?/)
      await page.keyboard.press(key)
      await page.keyboard.insertText(query)
      const element = page.locator(`lectern-search[project=${project}]`)
      await resultsOf(query, `lectern-search[project=${project}]`)
      expect((await asked).url()).toContain(`/projects/${project}/`)
      const showing = await page.evaluate(() =>
        [...document.querySelectorAll('lectern-search, lectern-panel')]
          .filter((each) => each.shadowRoot!.querySelector('[role=option]'))
          .map((each) => each.getAttribute('project')),
      )
      expect(showing).toEqual([project])
      await element.evaluate((each) => (each as Widget).close())
      await element.evaluate((each) => each.remove())
    }
    await page.locator('lectern-panel input').fill('proxy')
    await page.locator('lectern-panel [role=option]').first().waitFor()
    expect(opened.errors).toEqual([])
  })
}
