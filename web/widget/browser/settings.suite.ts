// Settings of a project, a page and its markup for the widget, and their effect for the reader.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../../../test/e2e/browser.ts'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page, search } from './widget-page.ts'

export function describeSettings(): void {
  const found = { title: 'Roses', page_title: 'Garden', fragment: 'Water them.', content: null }
  const results = [
    { ...found, source_type: 'site', url: 'https://docs.example.org/roses' },
    { ...found, source_type: 'file', url: 'https://docs.example.org/files/roses.pdf' },
  ]

  /** `config` replaces the project's settings. */
  async function open(markup: string, config: object = {}, html = '<html lang="de">') {
    lab.chat.answers.set('search/', () => ({ results }))
    const prepare = (each: Page) =>
      each.route('**/widget-config/docs', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), ...config } })
      })
    await openWidgetPage({ markup, html, prepare })
  }

  test('shows the headings above a section below its title', async () => {
    lab.chat.answers.set('search/', () => ({
      results: [{ ...results[0], headings: ['Tools & <b>pots</b>', 'Watering'] }, results[1]],
    }))
    await openWidgetPage({ markup: '<lectern-search project="docs"></lectern-search>' })
    const asked = page.waitForRequest('**/search/?*')
    await search('r')
    expect(new URL((await asked).url()).searchParams.get('fields')).toContain('headings')
    expect(await page.locator('.headings').allTextContents()).toEqual(['Tools & <b>pots</b> › Watering'])
  })

  test('opens no socket before the first question, and moves nothing on the page when it opens', async () => {
    await open('<lectern-search project="docs"></lectern-search><p>Text below.</p>')
    await page.locator('lectern-search').getByRole('button').waitFor()
    const place = () => page.getByText('Text below.').boundingBox()
    const before = await place()
    let sockets = 0
    page.on('websocket', () => sockets++)
    await search('r')
    await page
      .locator('lectern-search')
      .evaluate((each) => (each as HTMLElement & { open(options: object): void }).open({ mode: 'ask' }))
    await page.locator('#question').waitFor()
    expect(sockets).toBe(0)
    await page.locator('#question').fill('How often?')
    await page.keyboard.press('Enter')
    ;(await lab.chat.next()).final('Twice a week.')
    await page.locator('.turn-foot').waitFor()
    expect(sockets).toBe(1)
    expect(await place()).toEqual(before)
    expect(opened.errors).toEqual([])
  })

  test('a search sends the version, language, filter and scope, and labels files', async () => {
    const markup =
      '<lectern-search project="docs" version="2" language="fr" filter="API" scope="all"></lectern-search>'
    await open(markup, { filters: [{ title: 'Guide' }, { title: 'API' }] })
    const asked = page.waitForRequest(/\/search\/\?/)
    await search('r')
    const parameters = new URL((await asked).url()).searchParams
    const names = ['q', 'version', 'language', 'filter_title', 'content_scope', 'url']
    expect(names.map((name) => parameters.get(name))).toEqual(['r', '2', 'fr', 'API', 'all', page.url()])
    expect(await page.getByRole('radio', { name: 'API' }).isChecked()).toBe(true)
    expect(await page.locator('.file').allInnerTexts()).toEqual(['Hochgeladene Datei'])
    const other = page.waitForRequest(/filter_title=Guide/)
    await page.getByText('Guide', { exact: true }).last().click()
    await other
    await takeScreenshot(page, 'widget-filters')
  })

  test('distinguishes the chosen filter in forced colors', async () => {
    await open('<lectern-search project="docs"></lectern-search>', { filters: [{ title: 'Guide' }] })
    await page.emulateMedia({ forcedColors: 'active' })
    await search('r')
    const colors = await page
      .getByRole('radio')
      .evaluateAll((radios) =>
        radios.map((each) => getComputedStyle(each.nextElementSibling!).backgroundColor),
      )
    expect(new Set(colors).size).toBe(2)
  })

  test('sends the language of the page with a search if the project has pages in it', async () => {
    await open('<lectern-search project="docs"></lectern-search>', { languages: ['en', 'de'] })
    const asked = page.waitForRequest(/\/search\/\?/)
    await search('r')
    expect(new URL((await asked).url()).searchParams.get('language')).toBe('de')
  })

  test("shows the project's greeting, questions, mode and buttons, and Lectern's name unless whitelabeled", async () => {
    const actions = [
      { name: 'Help', button_text: 'Talk to a gardener', url: 'https://docs.example.org/help' },
    ]
    const config = {
      ...{ initial_message: 'Hello **gardener**.', suggested_questions: ['When do I prune?'] },
      ...{ think_mode: true, actions },
    }
    for (const whitelabel of [false, true]) {
      await open('<lectern-ask project="docs"></lectern-ask>', { ...config, whitelabel }, '<html lang="en">')
      await page.getByRole('button', { name: 'Ask AI' }).click()
      expect(await page.locator('.welcome .prose strong').innerText()).toBe('gardener')
      expect(await page.getByText('Powered by Lectern').count()).toBe(whitelabel ? 0 : 1)
      await page.getByRole('button', { name: 'When do I prune?' }).click()
      const turn = await lab.chat.next()
      expect(turn.message).toMatchObject({ message: 'When do I prune?', thinkMode: true })
      turn.final('In February.')
      expect(await page.getByRole('link', { name: 'Talk to a gardener' }).getAttribute('href')).toBe(
        actions[0]!.url,
      )
    }
    await takeScreenshot(page, 'widget-action')
  })

  test("applies custom properties and parts of the page's style sheet", async () => {
    await open('<lectern-search project="docs"></lectern-search>')
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        'lectern-search { --lectern-accent: rgb(1, 2, 3) } lectern-search::part(button) { color: rgb(4, 5, 6) } lectern-search::part(title) { letter-spacing: 3px }',
      )
      document.adoptedStyleSheets.push(sheet)
    })
    await search('r')
    const styles = await page.evaluate(() => {
      const root = document.querySelector('lectern-search')!.shadowRoot!
      const read = (selector: string) => getComputedStyle(root.querySelector(selector)!)
      return [read('.trigger').color, read('.title').color, read('.title').letterSpacing]
    })
    expect(styles).toEqual(['rgb(4, 5, 6)', 'rgb(1, 2, 3)', '3px'])
  })

  test('shows searches and opened pages again, never sends them, and forgets them on demand', async () => {
    await open('<lectern-search project="docs"></lectern-search>', {}, '<html lang="en">')
    await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()))
    await search('r')
    await page.keyboard.press('Enter')
    await page.reload()
    await page.waitForFunction(() => customElements.get('lectern-search') !== undefined)
    const bodies: string[] = []
    page.on('request', (request) => bodies.push(request.url() + (request.postData() ?? '')))
    await page.keyboard.press('/')
    await page.locator('.recents').getByRole('link', { name: 'Roses' }).waitFor()
    await takeScreenshot(page, 'widget-recents')
    await page.locator('.recents').getByRole('button', { name: 'r', exact: true }).click()
    await page.getByRole('option').first().waitFor()
    const field = await page.evaluate(() => {
      const active = document.activeElement?.shadowRoot?.activeElement
      return active instanceof HTMLInputElement && active.value
    })
    expect(field).toBe('r')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await page.locator('.recents').count()).toBe(0)
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    expect(bodies.filter((body) => body.includes('docs.example.org'))).toEqual([])
  })

  test('announces the number of results, that there are none, and the end of an answer to screen readers', async () => {
    await open('<lectern-search project="docs"></lectern-search>', {}, '<html lang="en">')
    const said = () => page.locator('lectern-search [role=status]').allTextContents()
    await search('r')
    await expect.poll(said).toContain('2 results on 2 pages')
    lab.chat.answers.set('search/', () => ({ results: [] }))
    await page.keyboard.type('q')
    await expect.poll(said).toContain('Nothing found for “rq”')
    await page.keyboard.press('Shift+Enter')
    const turn = await lab.chat.next()
    turn.status('searching_docs', 'started')
    await expect.poll(said).toContain('Searching the documentation')
    const sources = ['roses', 'soil'].map((title) => ({ title, url: `https://docs.example.org/${title}` }))
    turn.final('Twice a week [1][2].\n\n- In spring.\n- In summer.', { sources })
    await expect
      .poll(async () => (await said()).join())
      .toMatch(/Answer finished\. Twice a week 1 2\.\s+In spring\.\s+In summer\./)
  })
}
