// Sites with markup of the hosted service, built by their real generators. Each is opened twice: with the published script, and
// with only the script's address changed. Readers find the same texts, and can open them.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTab, takeScreenshot } from '../../../test/e2e/browser.ts'
import { serveFolders } from '../../../test/generators/folder-server.ts'
import { oldNames, script, siteTimeoutMs, texts } from './built-sites.ts'
import { lab } from './lab.ts'

/** The site serves the published package. */
const published = fileURLToPath(
  new URL('../../../node_modules/biel-search/dist/biel-search/', import.meta.url),
)

export function describeOldPages(): void {
  beforeAll(() => lab.sites!.built(), siteTimeoutMs)

  async function open(name: string, change: (html: string) => string) {
    const folders = { '/published/': published, '/': await lab.sites!.old(name) }
    const server = await serveFolders(folders, change)
    const watched = await openTab(lab.context)
    onTestFinished(async () => {
      await watched.page.close()
      await server.close()
    })
    // The published script requests a font from another host.
    await watched.page.route(/fonts\./, (route) => route.fulfill({ contentType: 'text/css', body: '' }))
    await watched.page.goto(server.url)
    await watched.page.locator('biel-search-button [part=button]').waitFor()
    return watched
  }

  test.each(oldNames)('%s', async (name) => {
    const before = await open(name, (html) => html)
    await before.page.locator('biel-button [part=button]').click()
    await before.page.getByText(texts['header-title']).waitFor()
    const inAll = Object.values(texts)
    await expect.poll(() => readAll(before.page)).toEqual(expect.arrayContaining(inAll))
    await before.page.close()

    const after = await open(name, (html) =>
      html.replaceAll(script, `${lab.harbor.lectern.baseUrl}/widget.js`),
    )
    const { page, errors, hosts } = after
    const button = page.locator('biel-button [part=button]')
    const color = () => button.evaluate((each) => getComputedStyle(each).backgroundColor)
    await page.evaluate(() => document.documentElement.style.setProperty('--biel-primary-color', '#c00'))
    await expect.poll(color).toBe('rgb(204, 0, 0)')
    await page.evaluate(() => document.documentElement.style.removeProperty('--biel-primary-color'))
    await expect.poll(color).not.toBe('rgb(204, 0, 0)')
    await page.getByRole('button', { name: texts.ask }).click()
    await page.getByRole('heading', { name: texts['header-title'] }).waitFor()
    await expect.poll(() => readAll(page)).toEqual(expect.arrayContaining(inAll))
    await takeScreenshot(page, `old-${name}`)
    await page.getByRole('button', { name: texts['suggested-questions'] }).click()
    await page.locator('biel-button .turn .sources').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: texts.search }).click()
    expect(await page.locator('biel-search-button input').getAttribute('placeholder')).toBe('Type a word')
    await page.keyboard.insertText('proxy')
    await page.locator('biel-search-button [role=option]').first().waitFor()
    expect(errors).toEqual([])
    expect([...hosts].sort()).toEqual(
      [new URL(lab.harbor.lectern.baseUrl).host, new URL(page.url()).host].sort(),
    )
  })

  test('both scripts work on one page, in either order', async () => {
    const other = `<script src="${lab.harbor.lectern.baseUrl}/widget.js"></script>`
    for (const change of [
      (html: string) => html.replace('<link', `${other}<link`),
      (html: string) =>
        html.replace('</body>', `${other.replace('<script', '<script type="module"')}</body>`),
    ]) {
      const { page, errors } = await open('plain', change)
      await page.locator('biel-button [part=button]').click()
      await expect.poll(() => readAll(page)).toContain(texts['header-title'])
      expect(errors).toEqual([])
    }
  })
}

/** Returns the texts of the page, including shadow roots. */
function readAll(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const read = (node: Node) => {
      if (node instanceof Text) found.push(node.data.trim())
      if (node instanceof Element && node.ariaLabel) found.push(node.ariaLabel)
      if (node instanceof Element && node.shadowRoot) read(node.shadowRoot)
      node.childNodes.forEach(read)
    }
    read(document.body)
    return found
  })
}
