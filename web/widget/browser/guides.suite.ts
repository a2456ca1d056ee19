// The guides of manual/widget-guides.md, each followed to the letter: its files are added to a site, the real generator builds it,
// and readers search and switch to dark in the theme that the generator has.
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, takeScreenshot } from '../../../test/e2e/browser.ts'
import type { Harbor } from '../../../test/e2e/harbor.ts'
import { type FolderServer, serveFolders } from '../../../test/generators/folder-server.ts'
import { buildSite, type GeneratorName, removeSite } from '../../../test/generators/generators.ts'
import { addToSite } from '../../../test/generators/sites.ts'
import type { Lab } from './lab.ts'

interface Reader {
  title: string
  /** What switches between light and dark in the theme. */
  toggle: string
  /** Leads to the other page. */
  link: string
}

const readers: Record<GeneratorName, Reader> = {
  docusaurus: {
    title: 'Docusaurus',
    toggle: 'button[class*="toggleButton"]:visible',
    link: 'main a[href*="deploy"]',
  },
  vitepress: { title: 'VitePress', toggle: '.VPNavBar .VPSwitchAppearance', link: 'main a[href*="deploy"]' },
  mkdocs: {
    title: 'MkDocs with Material',
    toggle: 'label[title="Dark"], label[title="Light"]',
    link: 'article a[href*="deploy"]',
  },
  sphinx: { title: 'Sphinx', toggle: '.theme-toggle:visible', link: 'article a[href*="deploy"]' },
  hugo: { title: 'Hugo', toggle: '#theme', link: 'main a[href*="deploy"]' },
}

export function describeGuides(readLab: () => Lab): void {
  let harbor: Harbor
  let browser: Browser
  const outputs = new Map<string, string>()
  const servers: FolderServer[] = []

  beforeAll(async () => {
    ;({ harbor, browser } = readLab())
    const build = async (name: GeneratorName) => {
      const guide = readGuide(readers[name].title, harbor.lectern.baseUrl)
      outputs.set(name, await buildSite(name, addToSite(name, guide)))
    }
    await Promise.all((Object.keys(readers) as GeneratorName[]).map(build))
  }, 180_000)
  afterAll(async () => {
    await Promise.all([...servers.map((each) => each.close()), ...[...outputs.values()].map(removeSite)])
  })

  test.each(Object.entries(readers))(
    '%s shows a search that works, and follows its theme',
    async (name, reader) => {
      const server = await serveFolders({ '/': outputs.get(name)! })
      servers.push(server)
      const { page, errors } = await openPage(browser, {
        colorScheme: 'light',
        viewport: { width: 1320, height: 760 },
      })
      await page.goto(server.url)
      const search = page.locator('lectern-search:visible')
      const trigger = search.getByRole('button')
      await trigger.waitFor()
      await takeScreenshot(page, `guide-${name}`)
      const color = () => trigger.evaluate((each) => getComputedStyle(each).backgroundColor)
      const light = await color()
      for (let clicks = 0; clicks < 3 && (await color()) === light; clicks++) {
        await page.locator(reader.toggle).first().click()
      }
      await expect.poll(color).not.toBe(light)
      // The other page comes with the theme, and with one search, whether the generator loads it or draws it.
      await page.locator(reader.link).first().click()
      await page.getByRole('heading', { name: 'Deploy' }).first().waitFor()
      await expect.poll(color).not.toBe(light)
      expect(await search.count()).toBe(1)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('proxy')
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

const page = readFileSync(new URL('../../../manual/widget-guides.md', import.meta.url), 'utf8')

/** The files of a guide: each block of code is one, named by the code that stands last before it. */
function readGuide(title: string, lectern: string): Record<string, string> {
  const section = page.split('\n## ').find((each) => each.startsWith(`${title}\n`))!
  const blocks = section.matchAll(/`([^`\n]+)`[^`]*?:\n\n```\w+\n([\s\S]*?\n)```/g)
  return Object.fromEntries(
    [...blocks].map(([, path, text]) => [
      path!,
      text!.replaceAll('https://lectern.example.com', lectern).replace(/(project\W+)guide/, '$1harbor'),
    ]),
  )
}
