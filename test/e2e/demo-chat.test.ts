// The chat of the demo page in a real browser, against a server whose every frame the test chooses.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { lacksBrowser, takeScreenshot } from './browser.ts'
import { useChatPage } from './chat-page.ts'
import { chatId, restoreToken } from './scripted-chat.ts'

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

describe.skipIf(lacksBrowser)('the chat of the demo page', () => {
  const chat = useChatPage({
    initial_message: 'Hello! Ask me about **gardens**.',
    suggested_questions: ['When do I water tulips?', 'How do I fight slugs?'],
    actions: [{ name: 'help', button_text: 'Ask a gardener', url: 'https://help.example.org/' }],
  })
  const { ask, prose, shows, open } = chat

  test('streams stages, then the answer, then its sources', async () => {
    const { page, server, watched } = chat
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
        'Judged what was found, 24 passages',
        'Writing the answer',
      ])
    expect(await page.textContent('#chat-status')).toBe('Writing the answer')
    await takeScreenshot(page, 'chat-stages')

    turn.token(answer.slice(0, 60))
    await shows('early in the morning')
    expect(await page.getAttribute('.turn', 'aria-busy')).toBe('true')
    expect(await page.locator('.stages').getAttribute('open')).toBeNull()
    turn.token(answer.slice(60))
    await shows('garden water --bed tulips')
    expect(await prose().locator('.cite').count()).toBe(0)
    await takeScreenshot(page, 'chat-writing')

    turn.status('writing_answer', 'completed')
    turn.status('checking_sources', 'started')
    turn.final(answer, { sources })
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
    expect(await page.textContent('#chat-status')).toContain('Water early in the morning')
    await takeScreenshot(page, 'chat-answer')
    expect(watched.errors).toEqual([])
    expect([...watched.hosts]).toEqual([new URL(server.url).host])
  })

  test('goes on with the conversation, and finds it again after a reload', async () => {
    const { page, server } = chat
    const first = await ask('How do I water?')
    first.token('In the ')
    first.final('In the morning.', { sources: sources.slice(0, 1) })
    await shows('In the morning.')
    const second = await ask('And in winter?')
    expect(second.message).toMatchObject({ chatId, restoreToken })
    second.final('Rarely.')
    await shows('Rarely.')
    server.answers.set(`chats/${chatId}/`, ({ headers }) =>
      headers['x-chat-restore-token'] !== restoreToken ? null : conversation,
    )
    await page.reload()
    await shows('Rarely.')
    expect(await page.locator('.question').allTextContents()).toEqual(['How do I water?', 'And in winter?'])
    expect(await page.locator('.source').count()).toBe(1)
    expect(await page.getAttribute('.thumb-up', 'aria-pressed')).toBe('true')
    const third = await ask('And then?')
    expect(third.message).toMatchObject({ chatId, restoreToken })

    await page.click('#chat-new')
    await third.gone
    await expect.poll(() => page.locator('.turn').count()).toBe(0)
    expect((await ask('Something else')).message).not.toHaveProperty('chatId')
  })

  const message = { sources: [], feedback: null, incomplete: false, stop_reason: null }
  const conversation = {
    messages: [
      { ...message, uuid: 'q1', role: 'user', content: 'How do I water?' },
      {
        ...{ ...message, uuid: 'a1', role: 'assistant', content: 'In the morning.' },
        ...{ sources: sources.slice(0, 1), feedback: 1, stop_reason: 'stop' },
      },
      { ...message, uuid: 'q2', role: 'user', content: 'And in winter?' },
      { ...message, uuid: 'a2', role: 'assistant', content: 'Rarely.', stop_reason: 'stop' },
    ].reverse(),
    next: null,
  }

  test('a conversation that is gone is forgotten', async () => {
    const { page } = chat
    const turn = await ask('How do I water?')
    turn.final('In the morning.')
    await shows('In the morning.')
    await page.reload()
    await expect.poll(() => page.textContent('#chat-welcome')).toContain('Hello! Ask me about gardens.')
    expect((await ask('Again')).message).not.toHaveProperty('chatId')
  })

  test('a long answer is read from its beginning, and a reader who has scrolled stays there', async () => {
    const { page } = chat
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
    expect(await place()).toBeGreaterThan(0)
    expect(await place()).toBeLessThan(40)
    await page.evaluate("document.querySelector('#chat-log').scrollTop = 0")
    const before = await place()
    turn.token(lines(80))
    await shows('Line 119.')
    expect(await place()).toBe(before)
  })

  test('a cut answer is continued in place', async () => {
    const { page, server } = chat
    const turn = await ask('Tell me all')
    turn.final('The first half', { incomplete: true, stopReason: 'length', continuationAvailable: true })
    await page.waitForSelector('[data-name=go-on]')
    server.answers.set('chats/', () => ({
      chat_uuid: chatId,
      ai_message: { message: 'The first half and the second.', sources, continuationAvailable: false },
    }))
    await page.click('[data-name=go-on]')
    await shows('The first half and the second.')
    expect(await page.locator('.turn').count()).toBe(1)
    expect(await page.locator('[data-name=go-on]').count()).toBe(0)
    expect(server.calls.at(-1)).toMatchObject({
      ...{ method: 'POST', path: 'chats/' },
      headers: { 'x-chat-restore-token': restoreToken },
    })
    const messageId = `22222222-2222-4222-8222-${turn.message.requestId.slice(-12)}`
    expect(server.calls.at(-1)?.body).toEqual({ chat_uuid: chatId, continue_message_id: messageId })
  })

  test('thumbs say what the reader thinks, once the server has heard', async () => {
    const { page, server } = chat
    const turn = await ask('How do I water?')
    turn.final('In the morning.')
    const messageId = `22222222-2222-4222-8222-${turn.message.requestId.slice(-12)}`
    const path = `messages/${messageId}/feedback/`
    server.answers.set(path, () => ({}))
    await page.click('.thumb-down')
    await expect.poll(() => page.getAttribute('.thumb-down', 'aria-pressed')).toBe('true')
    expect(server.calls.at(-1)).toMatchObject({ path, body: { reaction: 0 } })
    expect(server.calls.at(-1)?.headers['x-chat-restore-token']).toBe(restoreToken)
    server.answers.delete(path)
    await page.click('.thumb-up')
    await expect.poll(() => page.textContent('.turn-notice')).toContain('did not reach the server')
    expect(await page.getAttribute('.thumb-down', 'aria-pressed')).toBe('true')
  })

  test('works by keyboard alone, and shows what the project offers', async () => {
    const { page, server, watched } = chat
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

  test('stands in place of the search on a narrow screen, in the dark too', async () => {
    await open({ colorScheme: 'dark', viewport: { width: 390, height: 760 } })
    const { page } = chat
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
})

const focused = (page: Page) => page.evaluate('document.activeElement.id')
