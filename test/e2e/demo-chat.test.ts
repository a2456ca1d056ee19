// The chat of the demo page in a real browser, against a server whose frames the test controls.
// Stale, lost and unexpected frames are tested in web/components/turn.test.ts and chat-session.test.ts.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { attacks } from './attacks.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot, type WatchedPage } from './browser.ts'
import { watchHostile } from './hostile-page.ts'
import { chatId, openScriptedChat, type ScriptedChat, type ScriptedTurn } from './scripted-chat.ts'

const sources = [
  { title: 'Watering', url: 'https://docs.example.org/garden/watering.html#when' },
  { title: 'Frost and snow', url: 'https://docs.example.org/garden/winter.html#frost' },
]
const answer = `Water **early in the morning** [1], and never on frozen ground [2].

1. Feel the soil; it should be dry to a finger's depth.
2. Open the valve:

\`\`\`sh
garden water --bed tulips --minutes 10
\`\`\`

| Season | Minutes |
|---|---|
| spring | 10 |
| summer | 25 |

See [the plan](https://docs.example.org/garden/plan.html) for \`--minutes\`.`

describe.skipIf(lacksBrowser)('the chat of the demo page', { timeout: 180_000 }, () => {
  let browser: Browser
  let server: ScriptedChat
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
  }, 240_000)
  afterAll(() => browser?.close())
  beforeEach(async () => {
    server = await openScriptedChat({
      initial_message: 'Hello! Ask me about **gardens**.',
      suggested_questions: ['When do I water tulips?', 'How do I fight slugs?'],
      actions: [{ name: 'help', button_text: 'Ask a gardener', url: 'https://help.example.org/' }],
    })
    await open()
  })
  afterEach(async () => {
    await page.context().close()
    await server.close()
  })

  async function open(options: BrowserContextOptions = {}) {
    await watched?.page.context().close()
    watched = await openPage(browser, { viewport: { width: 1280, height: 860 }, ...options })
    page = watched.page
    await page.goto(server.url)
    await expect.poll(() => page.textContent('h1')).toBe('Garden docs')
  }

  /** Types a question into the panel and sends it. Returns the turn for the test to script. */
  async function ask(question: string): Promise<ScriptedTurn> {
    if (await page.isHidden('#chat')) await page.click('#ask')
    await page.fill('#question', question)
    await page.keyboard.press('Enter')
    return server.next()
  }

  const prose = () => page.locator('.turn .prose').last()
  const shows = (text: string) => expect.poll(() => prose().textContent()).toContain(text)

  test('streams stages, the answer and its sources, and reports removed citations', async () => {
    await page.fill('#query', 'when do I water')
    await page.keyboard.press('Shift+Enter')
    const turn = await server.next()
    expect(turn.message).toMatchObject({
      ...{ message: 'when do I water', projectId: 'docs', url: server.url, capabilities: ['activity.v1'] },
      ...{ requestId: expect.stringMatching(/^[A-Za-z0-9._:-]{1,80}$/), thinkMode: false },
    })
    expect(turn.message).not.toHaveProperty('chatId')
    turn.status('contextualizing', 'started')
    await expect.poll(() => page.textContent('.stages summary')).toBe('Reading the question…')
    turn.status('contextualizing', 'completed')
    turn.status('searching_docs', 'started', { searchRound: 1 })
    turn.status('searching_docs', 'completed', { searchRound: 1 })
    turn.status('searching_docs', 'started', { searchRound: 2 })
    turn.status('searching_docs', 'completed', { searchRound: 2 })
    turn.status('reviewing_results', 'completed', { documentCount: 24 })
    turn.status('writing_answer', 'started')
    await expect
      .poll(() => page.locator('.stage').allTextContents())
      .toEqual([
        'Read the question',
        'Searched the documentation',
        'Searched the documentation, round 2',
        'Reviewed the results, 24 passages',
        'Writing the answer',
      ])
    expect(await page.textContent('#chat-status')).toBe('Writing the answer')
    await takeScreenshot(page, 'chat-stages')

    turn.token(answer.slice(0, 60))
    await shows('early in the morning')
    expect(await page.getAttribute('.turn', 'aria-busy')).toBe('true')
    expect(await page.locator('.stages').getAttribute('open')).toBeNull()
    turn.token(`${answer.slice(60)}\n\nSnow is blue [9].`)
    await shows('garden water --bed tulips')
    expect(await prose().locator('.cite').count()).toBe(0)
    await takeScreenshot(page, 'chat-writing')

    turn.status('writing_answer', 'completed')
    turn.status('checking_sources', 'started')
    turn.final(`${answer}\n\nSnow is blue.`, { sources })
    turn.status('checking_sources', 'completed')
    turn.status('completed', 'completed')
    await page.waitForSelector('.sources li')
    expect(
      await prose()
        .locator('a.cite')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href'))),
    ).toEqual(sources.map(({ url }) => url))
    expect(await page.locator('.source-title').allTextContents()).toEqual(['Watering', 'Frost and snow'])
    expect(await prose().locator('table td').allTextContents()).toEqual(['spring', '10', 'summer', '25'])
    await expect.poll(() => page.textContent('.stages summary')).toBe('How this answer was made')
    await page.click('.stages summary')
    expect(await page.locator('.stage').last().textContent()).toMatch(/^Checked the sources: 1 of 3 removed/)
    expect(await page.locator('.removed li').allTextContents()).toEqual(['Snow is blue'])
    expect(await page.textContent('#chat-status')).toContain('Water early in the morning')
    await takeScreenshot(page, 'chat-answer')
    expect(watched.errors).toEqual([])
    expect([...watched.hosts]).toEqual([new URL(server.url).host])
  })

  test('a long answer opens at its beginning, and later text does not scroll a reader who has scrolled', async () => {
    const place = () =>
      page.evaluate(`(() => {
      const log = document.querySelector('#chat-log').getBoundingClientRect()
      return document.querySelector('.turn:last-child .question').getBoundingClientRect().top - log.top
    })()`)
    const lines = (from: number) =>
      Array.from({ length: 40 }, (_, index) => `Line ${from + index}.\n\n`).join('')
    const first = await ask('Tell me all')
    first.token(lines(0))
    await shows('Line 39.')
    first.final(lines(0))
    await page.waitForSelector('.thumb-up')
    const turn = await ask('And the rest?')
    turn.token(lines(40))
    await shows('Line 79.')
    await frameShown(page)
    expect(await place()).toBeGreaterThan(0)
    expect(await place()).toBeLessThan(40)
    await page.evaluate("document.querySelector('#chat-log').scrollTop = 0")
    const before = await place()
    turn.token(lines(80))
    await shows('Line 119.')
    await frameShown(page)
    expect(await place()).toBe(before)
  })

  test('works with the keyboard only and shows the chat settings of the project', async () => {
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('ask')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('question')
    expect(await page.textContent('#chat-welcome strong')).toBe('gardens')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('When do I water tulips?')
    expect(await page.locator('#chat-welcome .suggestion').nth(1).textContent()).toBe('How do I fight slugs?')
    await page.locator('#chat-welcome .suggestion').nth(1).press('Enter')
    const turn = await server.next()
    expect(turn.message.message).toBe('How do I fight slugs?')
    expect(await focused(page)).toBe('question')
    turn.token('With ')
    await shows('With')
    await page.keyboard.press('Escape')
    await turn.gone
    await page.keyboard.type('Again, and')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('slowly')
    await page.keyboard.press('Enter')
    const again = await server.next()
    expect(again.message.message).toBe('Again, and\nslowly')
    again.final('With beer.')
    await page.waitForSelector('.thumb-up')
    expect(await page.getAttribute('.turn-foot a', 'href')).toBe('https://help.example.org/')
    await page.keyboard.press('/')
    expect(await page.inputValue('#question')).toBe('/')
    await page.focus('#chat-close')
    await page.keyboard.press('/')
    expect(await focused(page)).toBe('query')
    await page.focus('#chat-close')
    await page.keyboard.press('Enter')
    expect(await page.isHidden('#chat')).toBe(true)
    expect(await focused(page)).toBe('query')
    expect(watched.errors).toEqual([])
  })

  test('replaces the search on a narrow screen, in the dark theme too', async () => {
    await open({ colorScheme: 'dark', viewport: { width: 390, height: 760 } })
    const turn = await ask('When do I water?')
    turn.status('contextualizing', 'completed')
    turn.token('Early')
    turn.final(answer, { sources })
    await page.waitForSelector('.sources li')
    expect(await page.isVisible('#query')).toBe(false)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await takeScreenshot(page, 'chat-narrow-dark')
    await page.click('#chat-close')
    expect(await page.isVisible('#query')).toBe(true)
  })

  test('renders hostile text of the project and of a restored conversation as text', async () => {
    const messages = attacks.flatMap((attack, index) => [
      { uuid: `q${index}`, role: 'user', content: attack, sources: [], feedback: null },
      {
        ...{ uuid: `a${index}`, role: 'assistant', content: attack, feedback: null, stop_reason: 'stop' },
        sources: [{ title: attack, url: attack }],
      },
    ])
    const saying = {
      initial_message: attacks.join('\n\n'),
      suggested_questions: attacks.slice(0, 20),
      actions: attacks.map((attack) => ({ name: attack, button_text: attack, url: attack })),
    }
    server.answers.set('', () => ({ slug: 'docs', name: 'Garden docs', config: { chat: saying } }))
    const watch = await watchHostile(page, server.origin)
    await page.reload()
    await page.click('#ask')
    await expect.poll(() => page.textContent('#chat-welcome')).toContain(attacks[0])
    await page.click('#chat-welcome .suggestion')
    const turn = await server.next()
    turn.final('Done.')
    await page.waitForSelector('.thumb-up')
    expect(await page.locator('.turn-foot a').count()).toBe(0)
    await watch.expectHarmless()
    server.answers.set(`chats/${chatId}/`, () => ({ messages: messages.toReversed() }))
    await page.reload()
    await expect.poll(() => page.locator('.turn').count()).toBe(attacks.length)
    expect(await page.locator('.question').allTextContents()).toEqual(attacks)
    await watch.expectHarmless()
  })
})

/** The conversation scrolls one frame after it grows. */
const frameShown = (page: Page) =>
  page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))')

const focused = (page: Page) => page.evaluate('document.activeElement.id')
