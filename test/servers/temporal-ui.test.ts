// What a person does in Temporal's own pages: finds a project's runs, sees the progress of one, and cancels it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksBrowser, openBrowser, openPage, takeScreenshot } from '../e2e/browser.ts'
import { serversAvailable } from './available.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

describe.skipIf(!serversAvailable || lacksBrowser)("Temporal's pages", { timeout: 400_000 }, () => {
  let lab: TemporalLab
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    ;[lab, browser] = await Promise.all([openTemporalLab(), openBrowser()])
    await lab.addSource()
    await lab.startWorker()
  })
  afterAll(async () => {
    await browser.close()
    await lab.close()
  })

  async function beginHeld() {
    const names = Array.from({ length: 400 }, (_, at) => `p${at}.html`)
    writePages(lab.site, names)
    const held = holdPage(lab.site, '/p399.html')
    const run = await lab.begin()
    await held.asked
    return { run, held }
  }

  test('shows a run of its project with its progress, and cancels it', async () => {
    const { page } = await openPage(browser, { viewport: { width: 1400, height: 900 } })
    page.setDefaultTimeout(100_000)
    const { run, held } = await beginHeld()
    const runs = `${lab.temporal.ui}/namespaces/default/workflows`
    const query = encodeURIComponent(`LecternProject="${slug}"`)
    await page.goto(`${runs}?query=${query}`)
    await page
      .getByRole('link', { name: `sync/${slug}` })
      .first()
      .waitFor()
    const { runId } = await lab.client.workflow.getHandle(`sync/${slug}`).describe()
    await page.goto(`${runs}/${encodeURIComponent(`sync/${slug}`)}/${runId}/user-metadata`)
    await page.getByText('Current Details').waitFor()
    // The page requests the details when this key is pressed, and shows them in a frame.
    const seesDetails = async () => {
      await page.keyboard.press('r')
      const texts = page.frames().map((frame) => frame.locator('body').textContent())
      return (await Promise.all(texts)).join().includes('Reading pages')
    }
    await expect.poll(seesDetails, { timeout: 100_000, interval: 4_000 }).toBe(true)
    await takeScreenshot(page, 'temporal-run')

    await page.getByRole('button', { name: 'Request Cancellation' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    expect(await lab.ended(run)).toMatchObject({ status: 'cancelled', error: null })
    held.release()

    await beginHeld()
    await page.goto(`${runs}?query=${query}`)
    await page.getByText('Canceled', { exact: true }).first().waitFor()
    await page.getByText('Running', { exact: true }).first().waitFor()
    await takeScreenshot(page, 'temporal-runs')
  })
})
