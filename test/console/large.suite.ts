// Long lists: only what is in view is in the page.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type LoggedEvent, noPages } from '../../services/store/run.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { takeScreenshot } from '../e2e/browser.ts'
import type { Lab } from './lab.ts'

const length = 50_000

/** A run of 50,000 events, each of a page of its own. */
export async function addLongRun({ lectern, addProject }: Lab, slug: string): Promise<string> {
  await addProject(slug)
  const store = await openSqliteStore(join(lectern.data, 'lectern.db'))
  const { uuid: project, team } = (await store.projects.bySlug(slug))!
  const at = '2026-11-01T00:00:00.000Z'
  const uuid = crypto.randomUUID()
  const events = Array.from({ length }, (_, n): LoggedEvent => {
    const url = `https://docs.example.com/manual/part-${n % 100}/page-${n}.html`
    const isFailed = n % 10 === 0
    return {
      ...{ id: `page:${url}`, at, url, sourceUuid: null, sequence: n + 1 },
      level: isFailed ? 'error' : 'info',
      type: isFailed ? 'page_failed' : 'page_skipped',
      reason: isFailed ? 'http_5xx' : 'robots',
      message: isFailed ? 'The server answered 500.' : 'robots.txt does not allow it.',
    }
  })
  const pages = { ...noPages, discovered: length, skipped: length * 0.9, failed: length * 0.1 }
  await store.runs.restore(
    {
      ...{ uuid, team, project, pages, fence: 0, trigger: 'api', status: 'completed' },
      ...{ createdAt: at, startedAt: at, finishedAt: at, error: null, supersededBy: null, sourcesFailed: 0 },
    },
    events,
  )
  await store.close()
  return uuid
}

export function describeLarge(readLab: () => Lab): void {
  async function expectSmall(page: Page) {
    expect(await page.locator('*').count()).toBeLessThanOrEqual(2_000)
    const browser = await page.context().newCDPSession(page)
    await browser.send('HeapProfiler.collectGarbage')
    const { usedSize } = await browser.send('Runtime.getHeapUsage')
    expect(usedSize).toBeLessThanOrEqual(60 * 1024 * 1024)
  }

  test('50,000 events are scrolled through in at most 2,000 nodes and 60 MB', async () => {
    const uuid = await addLongRun(readLab(), 'long')
    const { page, errors } = await readLab().open(`projects/long/runs/${uuid}`)
    const box = page.getByRole('region', { name: 'Events' })
    await box.getByRole('link', { name: '/manual/part-0/page-0.html' }).waitFor()
    expect(await box.getByRole('table').getAttribute('aria-rowcount')).toBe(String(length + 1))
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
    expect(await box.getByRole('table').getAttribute('aria-rowcount')).toBe('5001')
    expect(errors).toEqual([])
  })

  test('and so are 50,000 pages', async () => {
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
