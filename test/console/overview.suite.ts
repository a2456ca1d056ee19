// C1: projects that need attention.
import { expect, test } from 'vitest'
import { remedies } from '../../web/console/remedies.ts'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

export function describeOverview(readLab: () => Lab): void {
  test('names an unreachable source, with reason and remedy', async () => {
    const { open, addProject, addSource, sync, site } = readLab()
    await addProject('away', { name: '<b>Away</b>' })
    await addSource('away', { type: 'site', url: 'http://10.255.255.1/docs/', name: 'Intranet' })
    await addSource('away', { type: 'url', url: `${site.url}guide/` })
    await sync('away')
    const watched = await open('')
    const { page, errors } = watched
    const trouble = page.locator('.notice.bad', { hasText: '<b>Away</b>: the source Intranet failed.' })
    await trouble.getByText('LECTERN_CRAWL_ALLOW').waitFor()
    const row = page.getByRole('row', { name: '<b>Away</b>' })
    await expect.poll(() => row.innerText()).toContain('completed, 1 source failed')
    await row.getByRole('link', { name: '1 source failing' }).waitFor()
    await row.getByRole('link', { name: '1 page failed' }).waitFor()
    await page.getByText('none: answers quote the best sections').waitFor()
    await takeScreenshot(page, 'console-overview')
    await expectAccessible(watched)
    expect(errors).toEqual([])
  })

  test('links a failed source to its events, the page with its remedy, and back to the run', async () => {
    const { page, errors } = await readLab().open('')
    const trouble = page.locator('.notice.bad', { hasText: 'the source Intranet failed' })
    await trouble.getByRole('link', { name: 'To the sources' }).click()
    await page.getByRole('button', { name: 'Start a sync' }).waitFor()
    // Failing ones come first.
    await expect
      .poll(async () => (await page.getByRole('listitem').getByRole('heading').allInnerTexts())[0])
      .toBe('Intranet')
    await page.getByRole('link', { name: 'Its events in the last run' }).click()
    const events = page.getByRole('region', { name: 'Events' })
    await events
      .getByRole('row')
      .filter({ hasText: 'page failed' })
      .getByText('Not a public address', { exact: true })
      .waitFor()
    expect(await events.getByRole('link', { name: '/guide/' }).count()).toBe(0)
    await events.getByRole('link', { name: '/docs/' }).last().click()
    await page.getByText(remedies.blocked_address!.remedy).waitFor()
    await page.getByRole('link', { name: 'Open the run' }).click()
    await page.getByRole('heading', { name: 'completed, 1 source failed' }).waitFor()
    expect(errors).toEqual([])
  })

  test('reports held removals', async () => {
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

  test('creates a project and shows errors of the API at their fields', async () => {
    const { open } = readLab()
    const watched = await open('')
    const { page } = watched
    await page.getByRole('button', { name: 'New project' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name')
    await page.keyboard.press('Enter')
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('is required', { exact: true }).waitFor()
    await page.getByText('The field “Name” is required.').waitFor()
    await expectAccessible(watched)
    await name.fill('Handbook')
    await page.getByRole('textbox', { name: 'Slug' }).fill('guide')
    await page.keyboard.press('Enter')
    await page.getByText('is taken', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Slug' }).fill('handbook')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/projects/handbook/**')
    await expect.poll(() => page.getByLabel('Project').inputValue()).toBe('handbook')
  })

  test('shows a response that takes longer than the polling interval', async () => {
    const { page } = await readLab().open('')
    await page.clock.install()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let asked = 0
    await page.route(/\/api\/v2\/status\//, async (route) => {
      asked++
      await held
      await route.continue()
    })
    const first = page.waitForRequest(/\/api\/v2\/status\//)
    await page.reload()
    await first
    await page.clock.runFor(20_000)
    expect(asked).toBe(1)
    release()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('hides buttons without permission', async () => {
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
