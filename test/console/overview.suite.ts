// C1: projects with what needs attention.
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

export function describeOverview(readLab: () => Lab): void {
  test('names a source that cannot be reached, with reason and remedy', async () => {
    const { open, addProject, addSource, sync } = readLab()
    await addProject('away', { name: '<b>Away</b>' })
    await addSource('away', { type: 'site', url: 'http://10.255.255.1/docs/', name: 'Intranet' })
    await sync('away')
    const watched = await open('')
    const { page, errors } = watched
    const trouble = page.locator('.notice.bad', { hasText: '<b>Away</b>: Intranet could not be read.' })
    await trouble.getByText('LECTERN_CRAWL_ALLOW').waitFor()
    const row = page.getByRole('row', { name: '<b>Away</b>' })
    expect(await row.innerText()).toContain('1 source failing')
    await page.getByText('none: answers quote the best sections').waitFor()
    await takeScreenshot(page, 'console-overview')
    await expectAccessible(watched)
    expect(errors).toEqual([])
  })

  test('says that removals are held', async () => {
    const { open, addProject, addSource, sync, site } = readLab()
    const names = ['one.html', 'two.html', 'three.html']
    site.pages.set('/held/', htmlPage('Held', 'The start.', names))
    for (const name of names) site.pages.set(`/held/${name}`, htmlPage(name, `The text of ${name}.`))
    await addProject('held')
    await addSource('held', { type: 'site', url: `${site.url}held/` })
    await sync('held')
    for (const name of names) site.pages.delete(`/held/${name}`)
    await sync('held')
    const { page } = await open('')
    await page.getByText('held: removals are held.').waitFor()
  })

  test('creates a project and shows what the API refuses at its field', async () => {
    const { open } = readLab()
    const watched = await open('')
    const { page } = watched
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create project' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('is required', { exact: true }).waitFor()
    await expectAccessible(watched)
    await name.fill('Handbook')
    await page.getByRole('textbox', { name: 'Slug' }).fill('guide')
    await page.keyboard.press('Enter')
    await page.getByText('is taken', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Slug' }).fill('handbook')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/projects/handbook/**')
    expect(await page.getByLabel('Project').inputValue()).toBe('handbook')
  })

  test('shows no button that the key may not press', async () => {
    const { open, createKey } = readLab()
    const { page } = await open('', {}, await createKey(['projects_read', 'sync_read', 'sources_read']))
    await page.getByRole('link', { name: 'The guide' }).waitFor()
    expect(await page.getByRole('button', { name: 'New project' }).count()).toBe(0)
  })

  test.each([
    ['in the dark scheme', { colorScheme: 'dark' }],
    ['at 390 px', { viewport: { width: 390, height: 800 } }],
  ] as const)('passes axe %s', async (name, options) => {
    const watched = await readLab().open('', options)
    const { page } = watched
    await page.getByRole('heading', { name: 'Installation' }).waitFor()
    await takeScreenshot(page, `console-overview ${name}`)
    await expectAccessible(watched)
    await expectNoSideways(page)
  })
}
