// Shares a conversation of the demo page between two readers, in Chromium.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksBrowser, openBrowser, openPage, takeScreenshot } from '../../test/e2e/browser.ts'
import { type Harbor, openHarbor } from '../../test/e2e/harbor.ts'

describe.skipIf(lacksBrowser)('a shared conversation', { timeout: 180_000 }, () => {
  let harbor: Harbor
  let browser: Browser
  beforeAll(async () => {
    ;[harbor, browser] = await Promise.all([openHarbor({ LECTERN_EMBEDDINGS: 'off' }), openBrowser()])
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await harbor?.close()
  })

  test('can be read by others, who can neither continue nor rate it', async () => {
    const asker = await openPage(browser)
    await asker.page.goto(`${harbor.lectern.baseUrl}/demo/harbor/`)
    await asker.page.fill('#query', 'How do I install Harbor on Linux?')
    await asker.page.keyboard.press('Shift+Enter')
    await asker.page.locator('.turn-foot').waitFor()
    await asker.page.click('#share')
    const link = await asker.page.inputValue('#share-link')
    expect(link).toMatch(/\/demo\/harbor\/#chat=[\w-]+\.[\w-]{43}$/)
    await takeScreenshot(asker.page, 'demo-share')

    const { page, errors } = await openPage(browser)
    await page.goto(link)
    const text = await asker.page.locator('.turn .prose').innerText()
    await expect.poll(() => page.locator('.turn .prose').innerText()).toBe(text)
    for (const part of ['.composer', '.thumbs', '#chat-new', '#share']) {
      expect(await page.locator(part).isVisible(), part).toBe(false)
    }
    await takeScreenshot(page, 'demo-shared')
    await page.getByRole('link', { name: 'Ask a question of your own' }).click()
    await page.waitForURL(({ hash }) => hash === '')
    await page.locator('#query').waitFor()
    expect(await page.locator('.turn').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('does not reveal who asked, and its token only permits reading', async () => {
    const { lectern } = harbor
    const chats = '/api/v2/projects/harbor/chats/'
    const message = 'How do I install Harbor on Linux?'
    const { body: begun } = await lectern.call('POST', chats, {
      message,
      email: 'ann@example.org',
      metadata: 'docs',
    })
    const ask = (method: string, path: string, token: string, body?: object) =>
      fetch(`${lectern.baseUrl}${path}`, {
        method,
        headers: { 'x-chat-restore-token': token, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const path = `${chats}${begun.chat_uuid}/`
    const own = await (await ask('GET', path, begun.restore_token)).json()
    expect(own).toMatchObject({ email: 'ann@example.org', metadata: 'docs' })
    const shared = await (await ask('GET', path, own.share_token)).json()
    expect(shared).toMatchObject({ email: null, metadata: null, messages: own.messages })
    const more = await ask('POST', chats, own.share_token, {
      message: 'And on Windows?',
      chat_uuid: begun.chat_uuid,
    })
    expect(more.status).toBeGreaterThanOrEqual(400)
  })
})
