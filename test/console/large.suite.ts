// Long lists: only visible rows are in the page.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { takeScreenshot } from '../e2e/browser.ts'
import type { Lab } from './lab.ts'
import { writeLongRun } from './long-run.ts'

const length = 50_000

async function addLongRun({ lectern, addProject }: Lab, slug: string): Promise<string> {
  await addProject(slug)
  const store = await openSqliteStore(join(lectern.data, 'lectern.db'))
  const project = (await store.projects.bySlug(slug))!
  return writeLongRun(store, project, length).finally(() => store.close())
}

export function describeLarge(readLab: () => Lab): void {
  async function expectSmall(page: Page) {
    expect(await page.locator('*').count()).toBeLessThanOrEqual(2_000)
    const browser = await page.context().newCDPSession(page)
    await browser.send('HeapProfiler.collectGarbage')
    const { usedSize } = await browser.send('Runtime.getHeapUsage')
    expect(usedSize).toBeLessThanOrEqual(60 * 1024 * 1024)
  }

  test('scrolls 50,000 events with at most 2,000 nodes and 60 MB', async () => {
    const uuid = await addLongRun(readLab(), 'long')
    const { page, errors } = await readLab().open(`projects/long/runs/${uuid}`)
    const box = page.getByRole('region', { name: 'Events' })
    const countRows = () => box.getByRole('table').getAttribute('aria-rowcount')
    await box.getByRole('link', { name: '/manual/part-0/page-0.html' }).waitFor()
    await expect.poll(countRows).toBe(String(length + 1))
    await expectSmall(page)
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      await box.evaluate((each, to) => each.scrollTo(0, each.scrollHeight * to), share)
      await box
        .locator(`tr[aria-rowindex="${length * share + 2}"]`)
        .getByRole('link')
        .waitFor()
    }
    await box.focus()
    await page.keyboard.press('End')
    await box.getByRole('link', { name: '/manual/part-99/page-49999.html' }).waitFor()
    await takeScreenshot(page, 'console-run-long')
    await expectSmall(page)
    await page.getByLabel('Level').selectOption('error')
    await box.getByRole('link', { name: '/manual/part-0/page-0.html' }).waitFor()
    await expect.poll(countRows).toBe('5001')
    expect(errors).toEqual([])
  })

  test('scrolls 50,000 pages with the same limits', async () => {
    const { page, errors } = await readLab().open('projects/long/pages')
    const box = page.getByRole('region', { name: 'Pages', exact: true })
    await box.getByRole('link').first().waitFor()
    await box.focus()
    await page.keyboard.press('End')
    await box
      .locator(`tr[aria-rowindex="${length + 1}"]`)
      .getByRole('link')
      .waitFor()
    await expectSmall(page)
    await page.getByLabel('Address begins with').fill('https://docs.example.com/manual/part-7/')
    await expect.poll(() => box.getByRole('table').getAttribute('aria-rowcount')).toBe('501')
    expect(errors).toEqual([])
  })
}
