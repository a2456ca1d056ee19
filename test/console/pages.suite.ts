// C2: what happened to a page.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { remedies } from '../../web/console/remedies.ts'
import { takeScreenshot } from '../e2e/browser.ts'
import { expectAccessible, type Lab } from './lab.ts'

export function describePages(readLab: () => Lab): void {
  test('explains an indexed page, one that is gone, and one that was never seen', async () => {
    const { open, site } = readLab()
    const watched = await open('projects/guide/pages')
    const { page, errors } = watched
    await page.getByRole('link', { name: 'install.html' }).waitFor()
    await takeScreenshot(page, 'console-pages')
    await expectAccessible(watched)
    const field = page.getByLabel('What happened to the page at this address?')
    await field.fill(`${site.url}guide/install.html`)
    await page.keyboard.press('Enter')
    await page.getByText('The page is in the index with 1 section').waitFor()
    await page
      .getByRole('listitem')
      .getByRole('link', { name: `${site.url}guide/`, exact: true })
      .waitFor()
    await page.getByText('Covered by').waitFor()
    await takeScreenshot(page, 'console-page')
    await expectAccessible(watched)
    await field.fill(`${site.url}guide/missing.html`)
    await page.keyboard.press('Enter')
    await page.getByText('Restore the page or redirect its address').waitFor()
    await field.fill('https://elsewhere.example.com/')
    await page.keyboard.press('Enter')
    await page.getByText('No source of the project covers the address.').waitFor()
    await page.getByRole('button', { name: 'Recrawl' }).click()
    const refusal = page
      .getByRole('alert')
      .getByText(/^The address: its host is neither an allowed domain .*\.$/)
    await refusal.waitFor()
    await page.getByRole('link', { name: 'Add it as a separate source' }).click()
    const address = page.getByLabel('Address', { exact: true })
    await expect.poll(() => address.inputValue()).toBe('https://elsewhere.example.com/')
    expect(errors.filter((each) => !each.includes('status of 400'))).toEqual([])
  })

  test('reports that the source of a page could not be read', async () => {
    const { open, addProject, addSource, sync, site } = readLab()
    await addProject('unread-source')
    await addSource('unread-source', { type: 'sitemap', url: `${site.url}missing.xml` })
    await sync('unread-source')
    const url = `${site.url}guide/install.html`
    const { page } = await open(`projects/unread-source/pages/lookup?url=${encodeURIComponent(url)}`)
    await page.getByText('The last sync could not read this source.').waitFor()
  })

  test('shows paths without their host in a narrow window', async () => {
    const { open, site } = readLab()
    const { page } = await open('projects/guide/pages', { viewport: { width: 390, height: 780 } })
    const table = page.getByRole('region', { name: 'Pages' })
    const link = table.getByTitle(`${site.url}guide/install.html`)
    await expect.poll(() => link.innerText()).toBe('/guide/install.html')
    await page.setViewportSize({ width: 1100, height: 780 })
    await expect.poll(() => link.innerText()).toBe(`${site.url}guide/install.html`)
  })

  test('recrawls a page and reports the outcome', async () => {
    const { open, site } = readLab()
    const { page } = await open(
      `projects/guide/pages/lookup?url=${encodeURIComponent(`${site.url}guide/install.html`)}`,
    )
    await page.getByRole('button', { name: 'Recrawl' }).click()
    await page.getByRole('status').getByText('unchanged').waitFor()
  })

  test('counts the pages of each folder, and tests an address without writing', async () => {
    const { open, site } = readLab()
    const watched = await open('projects/guide/pages')
    const { page, errors } = watched
    await page.getByRole('link', { name: /indexed$/ }).waitFor()
    await page.getByText('By folder').click()
    await page.getByRole('img', { name: '0 indexed, 1 skipped, 0 failed, 0 pending' }).waitFor()
    await expectAccessible(watched)
    await page.getByRole('link', { name: 'Gone' }).click()
    await expect.poll(() => page.url()).toMatch(/status=skipped&reason=gone/)
    await page.getByRole('link', { name: `${site.url}guide/missing.html` }).click()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.locator('dd', { hasText: 'The server answered 404.' }).waitFor()
    await expectAccessible(watched)
    expect(errors).toEqual([])
  })

  test('shows a title with markup as text', async () => {
    const { open, site } = readLab()
    const { page } = await open(
      `projects/guide/pages/lookup?url=${encodeURIComponent(`${site.url}guide/old.html`)}`,
    )
    await page.getByText('Old &').first().waitFor()
    expect(await page.locator('#screen b').count()).toBe(0)
  })
}

/** Runs late: the run with the faults waits for addresses that never answer. */
export function describeReasons(readLab: () => Lab): void {
  test('shows every reason of the contract with its remedy', async () => {
    const { open, planted, plantedRead } = readLab()
    const contract = await readFile(new URL('../../proto/lectern/v1/sync.proto', import.meta.url), 'utf8')
    const [, skipped, failed] =
      /Skipped: ([\w, \n/]+)\. Failed:([\w, \n/]+)\./.exec(contract)?.map((names) => names.match(/\w+/g)!) ??
      []
    expect([...planted.keys()]).toEqual([...skipped!, ...failed!])
    await plantedRead()
    const { page, errors } = await open('projects/planted/pages/lookup')
    const field = page.getByLabel('What happened to the page at this address?')
    for (const [reason, url] of planted) {
      await field.fill(url)
      await page.keyboard.press('Enter')
      const text = expect.poll(() => page.locator('#screen').innerText())
      await text.toMatch(new RegExp(`Reason\\s+${reason}\\s`))
      await text.toContain(remedies[reason]!.remedy)
    }
    await takeScreenshot(page, 'console-page-failed')
    await field.fill(planted.get('noindex')!)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Recrawl' }).click()
    await page.getByRole('status').getByText(`dropped (noindex)`).waitFor()
    expect(errors).toEqual([])
  })
}
