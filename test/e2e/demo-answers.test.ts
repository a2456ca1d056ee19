// The demo page's chat in a real browser against a real Lectern: with a language model whose every word the test writes,
// and without one, over pages that are full of attacks.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { answers } from '../model/scripts.ts'
import { attacks } from './attacks.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot, type WatchedPage } from './browser.ts'
import { type HostilePage, watchHostile } from './hostile-page.ts'
import { adminKey, type LecternProcess, runEnded, searchAnswered, startLectern } from './lectern-process.ts'
import { openSite, type Site } from './site.ts'

const article = (title: string, ...paragraphs: string[]) =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1 id="top">${title}</h1>${paragraphs
    .map((text) => `<p>${text}</p>`)
    .join('')}</main></html>`
const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const garden: Record<string, string> = {
  '/': `<!doctype html><html lang="en"><title>Garden handbook</title><main><h1>Garden handbook</h1><p>Welcome.</p>
    <a href="/watering.html">Watering</a> <a href="/frost.html">Frost</a>
    ${attacks.map((_, index) => `<a href="/bed-${index}.html">Bed ${index}</a>`).join(' ')}</main></html>`,
  '/watering.html': article(
    'Watering tulips',
    'Water tulips early in the morning, when the soil is dry to a depth of five centimetres.',
    'The command <code>garden water --bed tulips</code> opens the valve of the tulip bed for ten minutes.',
  ),
  '/frost.html': article('Frost and tulips', 'Never water tulips on frozen ground: the bulbs would rot.'),
  ...Object.fromEntries(
    attacks.map((attack, index) => [
      `/bed-${index}.html`,
      article(
        `Tulip bed ${index} ${asText(attack)}`,
        `To plant tulip bed ${index}, dig a hole and write ${asText(attack)} on the label of the bulb.`,
      ),
    ]),
  ),
}

describe.skipIf(lacksBrowser)('answers on the demo page', { timeout: 300_000 }, () => {
  let browser: Browser
  let site: Site
  const processes: LecternProcess[] = []

  beforeAll(async () => {
    browser = await openBrowser()
    site = await openSite(garden)
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    for (const each of processes) await each.remove()
    await site?.close()
  })

  /** A Lectern that has read the garden handbook. */
  async function start(env: Record<string, string> = {}): Promise<LecternProcess> {
    const lectern = await startLectern({ env })
    processes.push(lectern)
    await lectern.call('POST', '/api/v2/projects/', { name: 'Garden handbook', slug: 'garden' })
    await lectern.call('POST', '/api/v2/projects/garden/sources/', { type: 'site', url: site.url })
    const { body } = await lectern.call('POST', '/api/v2/projects/garden/sync/')
    expect(await runEnded(lectern, 'garden', body.uuid)).toMatchObject({ status: 'completed' })
    await searchAnswered(lectern, 'garden')
    return lectern
  }

  async function open(lectern: LecternProcess): Promise<WatchedPage & { hostile: HostilePage }> {
    const watched = await openPage(browser, { viewport: { width: 1280, height: 860 } })
    const hostile = await watchHostile(watched.page, new URL(lectern.baseUrl).origin)
    await watched.page.goto(`${lectern.baseUrl}/demo/garden/`)
    await expect.poll(() => watched.page.textContent('h1')).toBe('Garden handbook')
    return { ...watched, hostile }
  }

  describe('by a language model', () => {
    let provider: ScriptedProvider
    let lectern: LecternProcess

    beforeAll(async () => {
      provider = await openScriptedProvider()
      lectern = await start({ LECTERN_LLM_URL: provider.url, LECTERN_LLM_MODEL: 'scripted' })
    }, 240_000)
    afterAll(() => provider?.close())

    test('stream in with stages, sources and thumbs, go on, and are there after a reload', async () => {
      const { page, errors, hosts } = await open(lectern)
      const held = provider.chat.hold()
      await page.keyboard.insertText('when should I water tulips')
      await page.keyboard.press('Shift+Enter')
      const call = await held
      await expect.poll(() => page.textContent('.stages summary')).toBe('Writing the answer…')
      expect(await page.locator('.stage').allTextContents()).toContain('Searched the documentation')
      await call.token('Water them **early in the morning**, when the soil is dry')
      await expect.poll(() => page.textContent('.turn .prose')).toContain('early in the morning')
      expect(await page.isVisible('#stop')).toBe(true)
      await call.token(` to a depth of five centimetres [${labelOf(call.body, 'five centimetres')}].\n\n`)
      await call.token('```sh\ngarden water --bed tulips\n```\n')
      await call.end('stop')

      await page.waitForSelector('.sources li')
      expect(await page.getAttribute('.turn .prose a.cite', 'href')).toMatch(/\/watering\.html/)
      expect(await page.locator('.source-title').allTextContents()).toEqual(['Watering tulips'])
      const rated = page.waitForResponse((response) => response.url().endsWith('/feedback/'))
      await page.click('.thumb-up')
      await expect.poll(() => page.getAttribute('.thumb-up', 'aria-pressed')).toBe('true')
      await rated
      await takeScreenshot(page, 'chat-streamed')

      provider.chat.play(answers('Never on frozen ground: the bulbs would rot [1].'))
      await page.fill('#question', 'and when there is frost?')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('.turn .prose').last().textContent()).toContain('frozen ground')
      // The draft has the same words: only an answer that is whole is kept.
      await expect.poll(() => page.locator('.thumb-up').count()).toBe(2)
      await page.reload()
      await expect.poll(() => page.locator('.turn').count()).toBe(2)
      expect(await page.textContent('.turn .prose')).toContain('early in the morning')
      expect(await page.getAttribute('.thumb-up', 'aria-pressed')).toBe('true')
      expect(errors).toEqual([])
      expect([...hosts]).toEqual([new URL(lectern.baseUrl).host])
    })

    test('show which citations the check removed', async () => {
      const { page } = await open(lectern)
      provider.chat.play(answers('Water tulips `--nightly` [1]. It takes 77 hoses [2]. Snow is blue [9].'))
      await page.keyboard.insertText('when should I water tulips')
      await page.keyboard.press('Shift+Enter')
      await expect
        .poll(() => page.textContent('.turn .prose'))
        .toContain('None of the sections found supports')
      expect(await page.locator('.sources li').count()).toBe(0)
      await page.click('.stages summary')
      await expect
        .poll(() => page.locator('.stage').last().textContent())
        .toMatch(/^Checked the sources: 3 of 3 removed/)
      expect(await page.locator('.removed li').allTextContents()).toEqual([
        'Water tulips `--nightly`',
        'It takes 77 hoses',
        'Snow is blue',
      ])
      await takeScreenshot(page, 'chat-removed-citations')
    })

    test('come to readers of a private project who have a key', async () => {
      await lectern.call('PATCH', '/api/v2/projects/garden/', { is_private: true })
      const { page } = await openPage(browser)
      await page.goto(`${lectern.baseUrl}/demo/garden/`)
      await page.fill('.key input', adminKey)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.textContent('h1')).toBe('Garden handbook')
      provider.chat.play(answers('Early in the morning, when the soil is dry [1].'))
      await page.fill('#query', 'when should I water tulips')
      await page.keyboard.press('Shift+Enter')
      await page.waitForSelector('.thumb-up')
      await page.click('.thumb-up')
      await expect.poll(() => page.getAttribute('.thumb-up', 'aria-pressed')).toBe('true')
      await page.reload()
      await expect.poll(() => page.textContent('.turn .prose')).toContain('Early in the morning')
      await page.evaluate('sessionStorage.clear()')
      await page.reload()
      await page.waitForSelector('.key input')
      await page.click('#ask')
      await page.fill('#question', 'when should I water tulips')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.textContent('.turn-notice')).toMatch(/key/)
      await lectern.call('PATCH', '/api/v2/projects/garden/', { is_private: false })
    })
  })

  test('quote pages that are full of attacks, in search and in chat, and nothing happens', async () => {
    const lectern = await start()
    const { page, hostile } = await open(lectern)
    for (const query of [
      'plant tulip bed label',
      'script window owned',
      'img onerror',
      'javascript press',
      'evil example leak',
    ]) {
      await page.fill('#query', query)
      await expect.poll(() => page.locator('[role=option]').count()).toBeGreaterThan(5)
      await hostile.expectHarmless()
    }
    await page.click('#ask')
    let quoted = ''
    for (const [index, bed] of [0, 12, 25, 40, 55, 62, 70, 80].entries()) {
      await page.fill('#question', `how do I plant tulip bed ${bed}?`)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('.thumb-up').count()).toBe(index + 1)
      quoted += await page.locator('.turn .prose').last().textContent()
    }
    expect(quoted).toContain('dig a hole')
    await takeScreenshot(page, 'chat-extractive')
    await hostile.expectHarmless()
  })
})

/** The label under which the model was given the passage with this text. */
function labelOf(body: { messages: { content: string }[] }, text: string): string {
  const given = body.messages.map(({ content }) => content).join('\n')
  const before = given.slice(0, given.indexOf(text))
  return Array.from(before.matchAll(/\[(\d+)\]/g)).at(-1)?.[1] ?? '1'
}
