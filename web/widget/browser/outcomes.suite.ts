// Conversations of the widget in Chromium, on a page of another origin: how they look when restored, and the links
// out of them.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { takeScreenshot } from '../../../test/e2e/browser.ts'
import { listMcpClients } from '../../components/mcp-clients.ts'
import { lab } from './lab.ts'
import { openWidgetPage } from './widget-page.ts'

export function describeOutcomes(): void {
  async function open(context?: BrowserContextOptions) {
    const markup = '<lectern-ask project="harbor"></lectern-ask>'
    const watched = await openWidgetPage({ server: lab.harbor.lectern.baseUrl, markup, context })
    await watched.page.locator('lectern-ask').getByRole('button').click()
    await watched.page.locator('textarea').waitFor()
    return watched
  }

  async function ask(page: Page, question: string) {
    const before = await page.locator('.turn').count()
    await page.locator('textarea').fill(question)
    await page.keyboard.press('Enter')
    await page.locator('.turn[aria-busy=false] .turn-foot').nth(before).waitFor()
  }

  /** Returns texts and outcomes of the turns, without the steps of an answer, which are not stored. */
  const look = (page: Page) =>
    page.locator('.turn').evaluateAll((turns) =>
      turns.map((turn) => ({
        outcome: turn.className,
        parts: ['.question', '.outcome', '.prose', '.turn-notice', '.sources', '.turn-foot'].map(
          (part) => turn.querySelector(part)?.textContent ?? null,
        ),
      })),
    )

  test('looks the same restored as live', async () => {
    const { page, errors } = await open()
    await ask(page, 'Who won the football world cup of 1954?')
    await ask(page, 'How do I set a proxy?')
    await ask(page, 'How do I install Harbor on Linux?')
    const live = await look(page)
    expect(live.map(({ outcome }) => outcome)).toEqual(['turn refused', 'turn pointed', 'turn answered'])
    await takeScreenshot(page, 'widget-outcomes')
    await page.evaluate(() => {
      addEventListener('lectern:source', ({ detail }: Event & { detail?: unknown }) =>
        Object.assign(window, { detail }),
      )
      addEventListener('click', (event) => event.preventDefault())
    })
    await page.locator('.sources a').first().click()
    expect(await page.evaluate(() => (window as unknown as { detail: unknown }).detail)).toEqual({
      messageId: expect.any(String),
      title: 'Installing Harbor',
      url: expect.stringMatching(/install[.]html/),
    })
    await page.reload()
    await page.locator('lectern-ask').getByRole('button').click()
    await page.locator('.turn').nth(2).waitFor()
    expect(await look(page)).toEqual(live)
    await takeScreenshot(page, 'widget-outcomes-restored')
    expect(errors).toEqual([])
  })

  test('shows the settings for an agent if MCP is enabled', async () => {
    // A browser caches the project's settings for minutes, so each page has its own context.
    const before = await open({})
    expect(await before.page.getByRole('button', { name: 'Use in my editor' }).count()).toBe(0)
    const { lectern } = lab.harbor
    const turnMcp = (enabled: boolean) =>
      lectern.call('PATCH', '/api/v2/projects/harbor/', { config: { mcp: { enabled } } })
    onTestFinished(async () => void (await turnMcp(false)))
    await turnMcp(true)
    const { page, errors } = await open({})
    const button = page.getByRole('button', { name: 'Use in my editor' })
    await button.click()
    await page.locator('.editor summary').nth(2).click()
    await takeScreenshot(page, 'widget-editor')
    const shown = await page.locator('.editor pre').allTextContents()
    const server = { server: `${lectern.baseUrl}/`, slug: 'harbor', hasKey: false }
    expect(shown.map((text) => JSON.parse(text))).toEqual(
      listMcpClients(server).map(({ settings }) => settings),
    )
    const [{ mcpServers }] = shown.map((text) => JSON.parse(text))
    const answer = await fetch(mcpServers.harbor.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(await answer.text()).toContain('read_document')
    await button.click()
    await page.locator('.editor').waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })
}
