// Readers with other devices, sizes, colors and languages: axe finds no problem, wherever the widget is.
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { takeScreenshot } from '../../../test/e2e/browser.ts'
import { lab } from './lab.ts'
import { opened, openWidgetPage, page, resultsOf } from './widget-page.ts'

export function describeAccessible(): void {
  beforeAll(() => {
    const result = (index: number) => ({
      ...{
        title: `Roses ${index}`,
        page_title: 'Garden',
        fragment: 'Water roses twice a week: `rose --water`.',
      },
      ...{ content: null, source_type: 'site', url: `https://docs.example.org/garden/page-${index}#roses` },
    })
    lab.chat.answers.set('search/', () => ({ results: [1, 2, 3, 4].map(result) }))
  })

  async function open(name: string, context: BrowserContextOptions, html: string) {
    // axe runs as a script of the page, which the strict policy would block.
    const options = { ...context, bypassCSP: true }
    await openWidgetPage({
      ...{
        markup: `<main><${name} project="docs"></${name}></main>`,
        context: options,
        html,
      },
    })
  }

  async function expectNothing(state: string) {
    // Colors are checked when animations have ended.
    await page.evaluate(() =>
      Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {}))),
    )
    const { violations } = await new AxeBuilder({ page })
      // Otherwise axe opens a page for the results of frames, of which there are none.
      .setLegacyMode()
      .exclude('h1')
      .exclude('#own')
      .exclude('#editor')
      .analyze()
    expect(
      violations.map(({ id, nodes }) => [
        state,
        id,
        nodes.map(({ target, failureSummary }) => [target, failureSummary]),
      ]),
    ).toEqual([])
  }

  /** Checks that no part is wider than the page, and that controls are large enough. */
  async function expectRoom(name: string) {
    const measured = await page.evaluate((selector) => {
      const root = document.querySelector(selector)!.shadowRoot!
      const { documentElement } = document
      const targets = [
        ...root.querySelectorAll<HTMLElement>('button, summary, label, textarea, a.result, a.source'),
      ]
      return {
        wide: documentElement.scrollWidth > documentElement.clientWidth,
        scrolled: [...root.querySelectorAll<HTMLElement>('.found, .log, .frame, .body')]
          .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
          .map((each) => each.className),
        small: targets
          .filter((each) => each.checkVisibility() && !each.closest('.unseen'))
          .filter(
            (each) => each.getBoundingClientRect().height < 24 || each.getBoundingClientRect().width < 24,
          )
          .map((each) => each.outerHTML.slice(0, 80)),
      }
    }, name)
    expect(measured).toEqual({ wide: false, scrolled: [], small: [] })
  }

  async function search(name: string) {
    if (name === 'lectern-search') await page.locator(name).getByRole('button').click()
    await page.locator(`${name} input`).first().fill('roses')
    await resultsOf('roses', name)
    await page.keyboard.press('ArrowDown')
  }

  async function ask(name: string) {
    if (name === 'lectern-ask') await page.locator(name).getByRole('button').click()
    else await page.keyboard.press('Shift+Enter')
    if (name === 'lectern-ask') {
      await page.locator('#question').fill('How often?')
      await page.keyboard.press('Enter')
    }
    const turn = await lab.chat.next()
    turn.status('searching_docs', 'started')
    turn.status('searching_docs', 'completed')
    turn.final(
      '# Roses\n\nTwice a *week* [1], with `rose --water`:\n\n```\nrose --water\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
      {
        sources: [{ title: 'Roses', url: 'https://docs.example.org/roses', quote: 'Twice a week.' }],
        outcome: 'answered',
      },
    )
    await page.locator('.turn-foot').waitFor()
  }

  const pages: [string, BrowserContextOptions, string][] = [
    ['light, English', { colorScheme: 'light' }, '<html lang="en">'],
    ['dark, German', { colorScheme: 'dark' }, '<html lang="de">'],
    ['right to left, 320 px', { viewport: { width: 320, height: 640 } }, '<html lang="ar" dir="rtl">'],
    [
      'dark, French, 200 %, less motion',
      {
        colorScheme: 'dark',
        viewport: { width: 640, height: 400 },
        deviceScaleFactor: 2,
        reducedMotion: 'reduce',
      },
      '<html lang="fr">',
    ],
  ]

  test('a field shrinks in a narrow header', async () => {
    const markup =
      '<header><b>A long name of a guide</b><lectern-search project="docs"></lectern-search></header>'
    await openWidgetPage({ markup, context: { viewport: { width: 320, height: 640 } } })
    await page.locator('lectern-search').getByRole('button').waitFor()
    const room = await page.evaluate(() => {
      document.querySelector('header')!.style.display = 'flex'
      return innerWidth - document.documentElement.scrollWidth
    })
    expect(room).toBeGreaterThanOrEqual(0)
  })

  describe.each(pages)('%s', (label, context, html) => {
    test.each(['lectern-search', 'lectern-ask', 'lectern-panel'])('%s', async (name) => {
      await open(name, context, html)
      if (name !== 'lectern-panel') await page.locator(name).getByRole('button').waitFor()
      await expectNothing('closed')
      if (name !== 'lectern-ask') {
        await search(name)
        await expectNothing('results')
        await expectRoom(name)
        await takeScreenshot(page, `widget-${name}-results-${label.replaceAll(/\W+/g, '-')}`)
      }
      await ask(name)
      await expectNothing('answer')
      await expectRoom(name)
      await takeScreenshot(page, `widget-${name}-answer-${label.replaceAll(/\W+/g, '-')}`)
      if (name !== 'lectern-panel') {
        for (let tabs = 0; tabs < 30; tabs++) {
          await page.keyboard.press('Tab')
          expect(await page.evaluate(() => document.activeElement?.localName)).toBe(name)
        }
        await page.locator(name).evaluate((element) => (element as unknown as { close(): void }).close())
        expect(await page.evaluate(() => document.activeElement?.localName)).toBe(name)
      }
      expect(opened.errors).toEqual([])
    })
  })
}
