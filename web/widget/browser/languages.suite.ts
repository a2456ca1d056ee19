// The widget's texts in its nine languages, chosen by the page, an attribute or the browser, and from right to left.
import { expect, test } from 'vitest'
import { takeScreenshot } from '../../../test/e2e/browser.ts'
import { fill } from '../../components/texts.ts'
import { strings as de } from '../../strings/de.ts'
import { strings as en } from '../../strings/en.ts'
import { strings as es } from '../../strings/es.ts'
import { strings as fr } from '../../strings/fr.ts'
import { strings as it } from '../../strings/it.ts'
import { strings as ja } from '../../strings/ja.ts'
import { strings as nl } from '../../strings/nl.ts'
import { strings as pt } from '../../strings/pt.ts'
import { strings as zh } from '../../strings/zh.ts'
import { lab } from './lab.ts'
import { openWidgetPage, search as runSearch } from './widget-page.ts'

const languages = { en, de, fr, es, it, pt, nl, ja, zh }
const query = 'qqqqzzzz'

export function describeLanguages(): void {
  async function open(html: string, attributes = '', locale?: string) {
    const markup = `<lectern-search project="harbor" ${attributes}></lectern-search>`
    const { baseUrl: server } = lab.harbor.lectern
    const watched = await openWidgetPage({ server, markup, html, context: locale ? { locale } : undefined })
    await watched.page.locator('lectern-search').getByRole('button').waitFor()
    return watched
  }

  test('uses the language of the page, but prefers `lang`', async () => {
    const { page, errors } = await open('<html lang="de-CH">')
    const search = page.locator('lectern-search')
    const labels = new Set<string>()
    const feet = new Set<number>()
    for (const [language, strings] of Object.entries(languages)) {
      if (language !== 'de') await search.evaluate((each, lang) => each.setAttribute('lang', lang), language)
      else await search.evaluate((each) => each.removeAttribute('lang'))
      labels.add(await search.getByRole('button').first().innerText())
      await search.evaluate(
        (each, text) => (each as HTMLElement & { open(how: object): void }).open({ query: text }),
        query,
      )
      await search.getByRole('heading', { name: fill(strings.search.nothing, { query }) }).waitFor()
      feet.add((await search.locator('.foot').boundingBox())!.height)
      await search.evaluate((each) => (each as HTMLElement & { close(): void }).close())
    }
    // The key hints fit on one line in every language.
    expect([...feet].every((height) => height < 48)).toBe(true)
    expect(labels.size).toBe(Object.keys(languages).length)
    expect(errors).toEqual([])
  })

  test('uses the language of the browser if the page has none, or one without texts', async () => {
    for (const html of ['<html>', '<html lang="sw">']) {
      const { page } = await open(html, '', 'fr-FR')
      await page.keyboard.press('/')
      await page.keyboard.insertText(query)
      await page.getByRole('heading', { name: fill(fr.search.nothing, { query }) }).waitFor()
    }
  })

  test("uses the site's own texts, and ignores invalid JSON", async () => {
    const own = JSON.stringify({ search: { nothing: 'Nothing at all for {query}' } })
    const { page } = await open('<html lang="en">', `strings='${own}'`)
    await page.keyboard.press('/')
    await page.keyboard.insertText(query)
    await page.getByRole('heading', { name: `Nothing at all for ${query}` }).waitFor()
    const other = await open('<html lang="en">', `strings="{nothing"`)
    await other.page.keyboard.press('/')
    await other.page.keyboard.insertText(query)
    await other.page.getByRole('heading', { name: fill(en.search.nothing, { query }) }).waitFor()
    expect(other.errors).toEqual([])
  })

  test('says in the language of the page why a question is refused', async () => {
    const markup = '<lectern-ask project="docs"></lectern-ask>'
    const { page } = await openWidgetPage({ markup, html: '<html lang="de">' })
    await page.locator('lectern-ask').getByRole('button').click()
    const { busySeconds, domain } = de.failures
    for (const [stopReason, sentence, expected] of [
      ['domain_not_allowed', 'The project does not allow the domain of the page.', domain],
      ['rate_limited', 'Too many messages at once. Try again in 35 s.', fill(busySeconds.other, { n: 35 })],
    ] as const) {
      await page.locator('#question').fill('How often?')
      await page.keyboard.press('Enter')
      const turn = await lab.chat.next()
      turn.final(sentence, { stopReason, isError: true, retryable: false })
      await page.locator('.turn-notice', { hasText: expected }).waitFor()
    }
  })

  test('runs from right to left on such a page, and nothing overflows', async () => {
    const greeting = '- a Latin list\n\n| a | b |\n|-|-|\n\n| א | ב |\n|-|-|'
    const { page, errors } = await open('<html lang="ar" dir="rtl">', `greeting="${greeting}"`)
    const search = page.locator('lectern-search')
    const icon = (await search.locator('.trigger svg').boundingBox())!
    const label = (await search.locator('.trigger .label').boundingBox())!
    expect(icon.x).toBeGreaterThan(label.x + label.width / 2)
    await runSearch('proxy')
    await takeScreenshot(page, 'widget-rtl')
    const ends = await search.locator('.count').evaluate((count) => {
      const text = count.firstChild as Text
      const range = new Range()
      return [0, text.length - 1].map((at) => {
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        return range.getBoundingClientRect().x
      })
    })
    // The count is in English here, which runs from left to right.
    expect(ends[0]!).toBeLessThan(ends[1]!)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await search.evaluate((each) => (each as HTMLElement & { open(how: object): void }).open({ mode: 'ask' }))
    const item = (await search.locator('.welcome li').boundingBox())!
    const prose = (await search.locator('.welcome .prose').boundingBox())!
    const tables = await search
      .locator('.welcome table')
      .evaluateAll((each) => each.map((table) => getComputedStyle(table).direction))
    expect(tables).toEqual(['ltr', 'rtl'])
    // The marker is before the item.
    expect(item.x - prose.x).toBeGreaterThanOrEqual(16)
    await search.locator('#question').fill('How do I set a proxy?')
    await page.keyboard.press('Enter')
    await search.locator('.turn-foot').waitFor()
    await takeScreenshot(page, 'widget-rtl-ask')
    expect(errors).toEqual([])
  })
}
