// C11 and C12: problems of the documentation, and the installation itself.
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { expectAccessible, expectNoSideways, type Lab, messageShown } from './lab.ts'

export function describeInstallation(readLab: () => Lab): void {
  test('lists one planted defect of each kind, and links to the page', async () => {
    const { open, addProject, addSource, sync, site } = readLab()
    const text = 'A sentence about wombats, long enough for a page. '.repeat(6)
    const sitemap = ['', 'twin.html', 'lonely.html', 'thin.html'].map(
      (name) => `<url><loc>${site.url}faulty/${name}</loc></url>`,
    )
    site.pages.set('/faulty/sitemap.xml', (_request, response) => {
      response.setHeader('content-type', 'application/xml')
      response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${sitemap.join('')}</urlset>`)
    })
    site.pages.set('/faulty/', htmlPage('Start', text, ['twin.html', 'thin.html#ice', 'gone.html']))
    site.pages.set('/faulty/twin.html', htmlPage('Start', text, ['twin.html', 'thin.html#ice', 'gone.html']))
    site.pages.set('/faulty/lonely.html', htmlPage('&lt;i>Lonely&lt;/i>', `${text} Nobody links here.`))
    site.pages.set('/faulty/thin.html', htmlPage('Thin', 'Nothing more.'))
    await addProject('faulty')
    await addSource('faulty', { type: 'sitemap', url: `${site.url}faulty/sitemap.xml` })
    await addSource('faulty', { type: 'site', url: `${site.url}faulty/` })
    await sync('faulty')
    const watched = await open('projects/faulty/health')
    const { page, errors } = watched
    const table = page.getByRole('region', { name: 'Findings' })
    await table.waitFor()
    for (const [kind, what] of [
      ['broken link', 'gone.html'],
      ['duplicate', 'twin.html'],
      ['orphan', '<i>Lonely</i>'],
      [/^thin/, 'thin.html'],
      ['broken anchor', 'thin.html#ice'],
    ] as const)
      await table.getByRole('row').filter({ hasText: kind }).filter({ hasText: what }).waitFor()
    await takeScreenshot(page, 'console-health')
    await expectAccessible(watched)
    await page.getByLabel('Kind').selectOption({ label: 'Broken links' })
    await page.getByText('Restore the page, redirect its address').waitFor()
    await expect.poll(() => table.getByRole('row').filter({ hasText: 'orphan' }).count()).toBe(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
    await table.getByText('The server answered 404.').filter({ visible: true }).waitFor()
    await table.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Page inspector' }).waitFor()
    expect(errors).toEqual([])
  })

  test('does not call a project healthy that was never synced', async () => {
    const { open, addProject } = readLab()
    await addProject('unsynced')
    const { page } = await open('projects/unsynced/health')
    await page.getByText('The project was never synced').waitFor()
  })

  test('shows load, work, limits and the log, and creates a backup', async () => {
    const { open, lectern } = readLab()
    const watched = await open('system')
    const { page, errors } = watched
    // As in Firefox and Safari, because a system dialog cannot be answered here.
    await page.evaluate('window.showSaveFilePicker = undefined')
    const { body } = await lectern.call('GET', '/api/v2/system/')
    await page.getByText(`of ${body.max_turns}`).waitFor()
    await page
      .getByText(/^\d+ MB$/)
      .first()
      .waitFor()
    await page.getByText('None is blocked.').waitFor()
    await page.getByRole('region', { name: 'Gateways' }).getByText('of 20,000').waitFor()
    await page.getByRole('region', { name: 'Log' }).getByText('sync completed').first().waitFor()
    await page.getByText('bin/lectern export').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Back up now' }).click()
    expect((await download).suggestedFilename()).toMatch(/^lectern-[\d-]+\.archive$/)
    await messageShown(page, 'The backup was made.')
    await page.getByLabel('Warnings and errors only').check()
    await expect.poll(() => page.getByText('sync completed').count()).toBe(0)
    await page.getByLabel('Warnings and errors only').uncheck()
    await takeScreenshot(page, 'console-system')
    await expectAccessible(watched)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
    expect(errors).toEqual([])
  })

  test('streams a backup into the chosen file, and keeps no interrupted one', async () => {
    const { open } = readLab()
    const { page, errors } = await open('system')
    // The browser's private files, instead of files from a system dialog.
    const handle = `navigator.storage.getDirectory().then((folder) => folder.getFileHandle('backup', { create: true }))`
    await page.evaluate(`window.showSaveFilePicker = () => ${handle}`)
    const read = () =>
      page.evaluate<string>(`${handle}.then((file) => file.getFile()).then((file) => file.text())`)
    await page.route('**/system/backup/', (route) => route.fulfill({ body: '{"lectern":1}\n' }))
    const button = page.getByRole('button', { name: 'Back up now' })
    await button.click()
    await page.getByText('The backup was interrupted, and nothing was saved. Try again.').waitFor()
    expect(await read()).toBe('')
    await page.unroute('**/system/backup/')
    await button.click()
    await messageShown(page, 'The backup was made.')
    expect(await read()).toMatch(/\{"end":\{[^\n]*\}\}\n$/)
    await page.evaluate(
      `window.showSaveFilePicker = () => Promise.reject(new DOMException('', 'AbortError'))`,
    )
    await button.click()
    await button.and(page.locator(':enabled')).waitFor()
    expect(await page.locator('.toast.bad').count()).toBe(1)
    expect(errors).toEqual([])
  })

  test('is hidden from a key without the permission', async () => {
    const { open, createKey } = readLab()
    const { page } = await open('', {}, await createKey(['projects_read']))
    await page.getByRole('link', { name: 'The guide' }).waitFor()
    expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0)
    const viewer = await open('system', {}, await createKey(['team_read']))
    await viewer.page.getByText('Only the admin key can download it.').waitFor()
    expect(await viewer.page.getByRole('heading', { name: 'Log' }).count()).toBe(0)
    expect(await viewer.page.getByRole('button', { name: 'Back up now' }).count()).toBe(0)
    expect(viewer.errors).toEqual([])
  })
}
