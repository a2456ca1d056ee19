// Follows each guide of manual/widget-guides.md exactly: its files are added to a site, the real generator builds it,
// and readers search and switch to dark with the theme of the generator.
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTab, takeScreenshot } from '../../../test/e2e/browser.ts'
import { serveFolders } from '../../../test/generators/folder-server.ts'
import type { GeneratorName } from '../../../test/generators/generators.ts'
import { siteTimeoutMs } from './built-sites.ts'
import { lab } from './lab.ts'

interface Reader {
  /** An expression that is true once the theme's scripts listen, if that is later than the load event. */
  listens?: string
  /** Switches between light and dark in the theme. */
  toggle: string
  /** Leads to the other page. */
  link: string
}

const readers: Record<GeneratorName, Reader> = {
  docusaurus: {
    toggle: 'button[class*="toggleButton"]:visible',
    link: 'main a[href*="deploy"]',
  },
  vitepress: {
    listens: `'__vue_app__' in document.querySelector('#app')`,
    toggle: '.VPNavBar .VPSwitchAppearance',
    link: 'main a[href*="deploy"]',
  },
  mkdocs: {
    toggle: 'label[title="Dark"], label[title="Light"]',
    link: 'article a[href*="deploy"]',
  },
  sphinx: { toggle: '.theme-toggle:visible', link: 'article a[href*="deploy"]' },
  hugo: { toggle: '#theme', link: 'main a[href*="deploy"]' },
}

export function describeGuides(): void {
  beforeAll(() => lab.sites!.built(), siteTimeoutMs)

  test.each(Object.entries(readers))(
    '%s shows a working search that follows its theme',
    async (name, reader) => {
      const server = await serveFolders({ '/': await lab.sites!.guide(name as GeneratorName) })
      const { page, errors } = await openTab(lab.context)
      onTestFinished(async () => {
        await page.close()
        await server.close()
      })
      await page.setViewportSize({ width: 1320, height: 760 })
      await page.goto(server.url)
      const search = page.locator('lectern-search:visible')
      const trigger = search.getByRole('button')
      await trigger.waitFor()
      await page.waitForFunction(reader.listens ?? 'true')
      await takeScreenshot(page, `guide-${name}`)
      const color = () => trigger.evaluate((each) => getComputedStyle(each).backgroundColor)
      const light = await color()
      const marks = () => page.evaluate(readMarks)
      // Some themes follow the system at first, and become light with the first click.
      for (let clicks = 0; clicks < 3 && (await color()) === light; clicks++) {
        const before = await marks()
        await page.locator(reader.toggle).first().click()
        await expect.poll(marks).not.toEqual(before)
      }
      await expect.poll(color).not.toBe(light)
      // The other page has the theme and one search, whether the generator loads or renders it.
      await page.locator(reader.link).first().click()
      await page.getByRole('heading', { name: 'Deploy' }).first().waitFor()
      await expect.poll(color).not.toBe(light)
      await expect.poll(() => search.count()).toBe(1)
      await page.keyboard.press('Control+k')
      await page.keyboard.insertText('proxy')
      await search.locator('[role=option]').first().waitFor()
      await takeScreenshot(page, `guide-${name}-dark`)
      await search.evaluate((each) =>
        (each as HTMLElement & { open(how: object): void }).open({ mode: 'ask' }),
      )
      for (const [question, outcome] of [
        ['Who won the football world cup of 1954?', 'refused'],
        ['How do I set a proxy?', 'pointed'],
      ] as const) {
        await search.locator('#question').fill(question)
        await page.keyboard.press('Enter')
        await search.locator(`.turn.${outcome} .turn-foot`).waitFor()
      }
      await takeScreenshot(page, `guide-${name}-outcomes`)
      expect(errors).toEqual([])
    },
  )
}

/** Returns what themes set on the page for their colors. */
function readMarks(): string[] {
  return [document.documentElement, document.body].map((each) =>
    [...each.attributes].map(({ name, value }) => `${name}=${value}`).join(' '),
  )
}
