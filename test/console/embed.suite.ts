// C6: the snippet, the widget next to it, and other requirements of embedding.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { openPage, takeScreenshot } from '../e2e/browser.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

export function describeEmbed(readLab: () => Lab): void {
  test('shows a snippet that works on an empty page of another origin', async () => {
    const { open, browser } = readLab()
    const watched = await open('projects/guide/embed')
    const { page, errors } = watched
    await page.getByText('Texts and behavior').click()
    await page.getByLabel('placeholder').fill('Search "the" <guide>')
    await page.getByText('Theme', { exact: true }).click()
    await page.getByLabel('Accent', { exact: true }).fill('#00695c')
    await page.getByLabel('Pin the script').check()
    const snippet = page.getByRole('figure').filter({ hasText: 'For your pages' }).locator('pre')
    await expect.poll(() => snippet.innerText()).toContain('integrity="sha384-')
    await takeScreenshot(page, 'console-embed')
    await expectAccessible(watched)

    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByRole('button', { name: 'Search "the" <guide>' }).click()
    await page.locator('lectern-search').getByRole('combobox').fill('archive')
    await page.getByText('Unpack the').first().waitFor()
    await takeScreenshot(page, 'console-embed-preview')
    await page.keyboard.press('Escape')
    expect(errors).toEqual([])

    const html = `<!doctype html><html lang="en"><title>Blank</title>\n${await snippet.innerText()}`
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(html)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const { port } = site.address() as { port: number }
    const elsewhere = await openPage(browser)
    await elsewhere.page.goto(`http://127.0.0.1:${port}/`)
    await elsewhere.page.getByRole('button', { name: 'Search "the" <guide>' }).click()
    await elsewhere.page.getByRole('combobox').fill('archive')
    await elsewhere.page.getByText('Unpack the').first().waitFor()
    const color =
      'getComputedStyle(document.querySelector("lectern-search")).getPropertyValue("--lectern-accent")'
    expect(await elsewhere.page.evaluate<string>(color)).toBe('#00695c')
    expect(elsewhere.errors.filter((each) => !each.includes('favicon'))).toEqual([])
    await elsewhere.page.context().close()
    site.closeAllConnections()
    site.close()
  })

  test('creates a key with two permissions for a private project, and inserts it into the snippet', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('closed', { is_private: true })
    const { page, errors } = await open('projects/closed/embed')
    await page.getByRole('button', { name: 'Make such a key' }).click()
    const snippet = page.getByRole('figure').filter({ hasText: 'For your pages' }).locator('pre')
    await expect.poll(() => snippet.innerText()).toMatch(/api-key="lec_\w{36}"/)
    const { body } = await lectern.call('GET', '/api/v2/keys/')
    const made = (body.results as unknown as { name: string }[]).find(
      ({ name }) => name === 'Widget of closed',
    )
    expect(made).toMatchObject({ permissions: ['search', 'chats_create'], projects: ['closed'] })
    expect(errors).toEqual([])
  })

  test('reports the replacements of old markup, as text', async () => {
    const { open } = readLab()
    const watched = await open('projects/guide/embed', { colorScheme: 'dark' })
    const { page } = watched
    await page
      .getByLabel('Markup')
      .fill(
        '<biel-button project="x" hide-close-button="true" stacked="true" header-title="<img src=x>" made-up>Ask</biel-button>',
      )
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('header-title').getByText('works').waitFor()
    await row('hide-close-button').getByText('is refused').waitFor()
    await row('stacked').getByText('has no effect').waitFor()
    await row('made-up').getByText('is not known').waitFor()
    expect(await page.locator('#screen img').count()).toBe(0)
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
  })

  test('shows the manual’s configurations for agents', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('my-docs', { config: { mcp: { enabled: true } } })
    const { page } = await open('projects/my-docs/embed')
    const manual = await readFile(new URL('../../manual/agents.md', import.meta.url), 'utf8')
    const clients = manual.split('## Clients\n')[1]!.split('\n#')[0]!
    const expected = [...clients.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text]) =>
      JSON.parse(text!.replaceAll('http://127.0.0.1:8080', lectern.baseUrl)),
    )
    expect(expected).toHaveLength(3)
    const shown = page
      .getByRole('figure')
      .filter({ hasText: /, in \./ })
      .locator('pre')
    await expect
      .poll(async () => (await shown.allInnerTexts()).map((text) => JSON.parse(text)))
      .toEqual(expected)
  })
}
