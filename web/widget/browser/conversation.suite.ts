// Conversations of the widget with a chat that the test plays: lost connections, sources, clean-up, and hostile text.
import { expect, test } from 'vitest'
import { attacks } from '../../../test/e2e/attacks.ts'
import { watchHostile } from '../../../test/e2e/hostile-page.ts'
import type { ScriptedTurn } from '../../../test/e2e/scripted-chat.ts'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page } from './widget-page.ts'

export function describeConversation(): void {
  /** Opens the widget in its own context: sources open in tabs, and leaked objects are counted. */
  async function open(markup = '<lectern-ask project="docs"></lectern-ask>') {
    await openWidgetPage({ markup, context: {} })
  }

  async function ask(question: string): Promise<ScriptedTurn> {
    await page.locator('#question').fill(question)
    await page.keyboard.press('Enter')
    return lab.chat.next()
  }

  const sources = [
    { title: 'Roses', url: 'https://docs.example.org/roses', quote: 'Water roses twice a week.' },
    { title: 'Soil', url: 'https://docs.example.org/soil', quote: 'Soil dries.' },
  ]

  /** The frames of an answer. */
  const steps: ((turn: ScriptedTurn) => void)[] = [
    (turn) => turn.status('searching_docs', 'started'),
    (turn) => turn.status('searching_docs', 'completed'),
    (turn) => turn.status('writing_answer', 'started'),
    (turn) => turn.token('Twice a '),
    (turn) => turn.token('week [1].'),
    (turn) => turn.status('writing_answer', 'completed'),
    (turn) => turn.final('Twice a week [1].', { sources }),
  ]

  test('shows the same text wherever the connection is cut, and asks once per click', async () => {
    await open()
    await page.getByRole('button', { name: 'Ask AI' }).click()
    for (let cut = 0; cut < steps.length; cut++) {
      const turn = await ask(`How often, ${cut}?`)
      for (const step of steps.slice(0, cut)) step(turn)
      turn.hangUp()
      await page.locator('.turn-notice').waitFor()
      // The widget waits after the first loss. After the others the browser reports that it is online.
      if (cut > 0) await page.evaluate(() => dispatchEvent(new Event('online')))
      await page.getByRole('button', { name: 'Ask again' }).last().click()
      const again = await lab.chat.next()
      expect(again.message.message).toBe(`How often, ${cut}?`)
      expect(lab.chat.hasMore()).toBe(false)
      for (const step of steps) step(again)
      const last = page.locator('.turn').last()
      await last.locator('.sources').waitFor()
      expect(await last.locator('.prose').innerText()).toMatch(/^Twice a week 1\s*\.$/)
      await page.getByRole('button', { name: 'New conversation' }).click()
    }
    expect(opened.errors).toEqual([])
  })

  test('reports to the page which source a reader opens', async () => {
    await open()
    await page.getByRole('button', { name: 'Ask AI' }).click()
    const turn = await ask('How often?')
    for (const step of steps) step(turn)
    await page.context().route('https://docs.example.org/**', (route) => route.fulfill({ body: '' }))
    await page.locator('.cite').click()
    await page.locator('.source').last().click()
    const heard = async () =>
      (await opened.events())
        .filter((event) => event.startsWith('source '))
        .map((event) => JSON.parse(event.slice(7)))
    const messageId = expect.any(String)
    await expect.poll(heard).toEqual([
      { messageId, url: sources[0]!.url, title: 'Roses' },
      { messageId, url: sources[1]!.url, title: 'Soil' },
    ])
  })

  test('breaks a long query to the width of the window, but no word of a table', async () => {
    await open('<lectern-panel project="docs"></lectern-panel>')
    await page.setViewportSize({ width: 320, height: 568 })
    lab.chat.answers.set('search/', () => ({ results: [] }))
    await page.locator('lectern-panel input').fill('a'.repeat(200))
    await page.locator('.notice h2').waitFor()
    expect(await page.locator('.notice').evaluate((notice) => notice.scrollWidth - notice.clientWidth)).toBe(
      0,
    )
    await page.keyboard.press('Shift+Enter')
    const turn = await lab.chat.next()
    const names = ['pollInterval', 'repository', '0.8.10', 'subdirectory', 'useTimestamps']
    turn.final(
      ['', '', '']
        .map((_, row) => `|${names.map((name) => (row === 1 ? '---' : name)).join('|')}|`)
        .join('\n'),
    )
    await page.locator('.turn-foot').waitFor()
    const lines = await page.locator('.prose :is(th, td)').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = new Range()
        range.selectNodeContents(cell)
        return new Set([...range.getClientRects()].map(({ bottom }) => bottom)).size
      }),
    )
    expect(lines).toEqual(Array(10).fill(1))
  })

  test('shows hostile answers, sources and results as text', async () => {
    await open('<lectern-panel project="docs"></lectern-panel>')
    const origin = new URL(page.url()).origin
    const { origin: lectern } = lab.chat
    const root = `document.querySelector('lectern-panel').shadowRoot`
    lab.chat.answers.set('search/', () => ({
      results: attacks.map((attack, index) => ({
        ...{ title: attack, page_title: attack, fragment: attack, content: attack },
        url: index % 2 ? `https://docs.example.org/${index}` : attack,
      })),
    }))
    const watch = await watchHostile(page, origin, root, [lectern])
    await page.locator('lectern-panel input').fill('script img onerror')
    await expect.poll(() => page.locator('[role=option]').count()).toBe(attacks.length)
    await watch.expectHarmless()
    lab.chat.answers.set('search/', () => ({ results: [] }))
    await page.keyboard.press('Shift+Enter')
    const first = await lab.chat.next()
    for (const attack of attacks) first.token(`${attack}\n\n`)
    first.final(attacks.join('\n\n'), {
      sources: attacks.map((attack) => ({ title: attack, url: attack, quote: attack })),
    })
    await page.locator('.turn-foot').waitFor()
    await watch.expectHarmless()
  })

  test('leaks no listener, node or socket after a hundred mounts', async () => {
    await open('')
    const mount = (times: number) =>
      page.evaluate(async (count) => {
        for (let at = 0; at < count; at++) {
          for (const name of ['lectern-search', 'lectern-ask', 'lectern-panel']) {
            const element = document.createElement(name) as HTMLElement & { open(how?: object): void }
            element.setAttribute('project', 'docs')
            document.body.append(element)
            element.open(name === 'lectern-ask' ? { mode: 'ask' } : {})
            // Some are removed while they load, some afterwards.
            if (at % 2) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
            element.remove()
          }
        }
      }, times)
    const session = await page.context().newCDPSession(page)
    const count = async () => {
      await session.send('HeapProfiler.collectGarbage')
      await session.send('HeapProfiler.collectGarbage')
      const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
      return { nodes, jsEventListeners }
    }
    // Objects created once for all elements exist after each kind was shown.
    for (const [name, shown] of [
      ['lectern-search', '.search'],
      ['lectern-ask', '#question'],
      ['lectern-panel', '.search'],
    ] as const) {
      await page.evaluate((each) => {
        const element = document.createElement(each) as HTMLElement & { open(): void }
        element.setAttribute('project', 'docs')
        document.body.append(element)
        element.open()
      }, name)
      await page.locator(`${name} ${shown}`).waitFor()
      await page.evaluate((each) => document.querySelector(each)!.remove(), name)
    }
    await mount(10)
    // Elements removed while loading exist until they have loaded.
    let before = await count()
    const isSteady = async () => {
      const last = before
      before = await count()
      return before.nodes === last.nodes && before.jsEventListeners === last.jsEventListeners
    }
    await expect.poll(isSteady, { interval: 500 }).toBe(true)
    await mount(100)
    // Elements that were still loading before are gone.
    const hasMore = async () => {
      const after = await count()
      return after.nodes > before.nodes || after.jsEventListeners > before.jsEventListeners
    }
    await expect.poll(hasMore).toBe(false)
    expect(lab.chat.hasMore()).toBe(false)
    expect(opened.errors).toEqual([])
  })
}
