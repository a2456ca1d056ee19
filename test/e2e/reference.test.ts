// The REST reference in a browser: it shows both versions and loads everything from this server.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restV1 } from '../../gateway/rest-v1.ts'
import { restV2 } from '../../gateway/rest-v2.ts'
import { lacksBrowser, openBrowser, openPage, takeScreenshot } from './browser.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

describe.skipIf(lacksBrowser)('the reference', { timeout: 180_000 }, () => {
  let lectern: LecternProcess
  let browser: Browser
  beforeAll(async () => {
    ;[lectern, browser] = await Promise.all([startLectern(), openBrowser()])
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await lectern?.remove()
  })

  test.each([
    ['v2', '/reference/', restV2],
    ['v1', '/reference/?v1', restV1],
  ])('shows every operation of %s', async (version, path, rows) => {
    const { page, errors, hosts } = await openPage(browser)
    await page.goto(lectern.baseUrl + path)
    await page.locator('.opblock').first().waitFor()
    await expect.poll(() => page.locator('.opblock').count()).toBe(rows.length)
    expect(await page.title()).toBe(`Lectern: REST ${version}`)
    await page.locator('#operations-Search-search .opblock-summary-control').click()
    await page.locator('#operations-Search-search .parameters').first().waitFor()
    await page.locator('#operations-Search-search').getByText("The reader's input.").first().waitFor()
    await takeScreenshot(page, `reference-${version}`)
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(lectern.baseUrl).host])
  })

  test('closes the padlock of operations that need a key, and of no others', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${lectern.baseUrl}/reference/`)
    const padlock = (id: string) => page.locator(`#operations-${id} .authorization__btn`)
    await padlock('Search-search').waitFor()
    expect(await padlock('Search-search').getAttribute('aria-label')).toContain('unlocked')
    expect(await padlock('Key-listKeys').getAttribute('aria-label')).toMatch(/ locked/)
  })

  test('sends requests to its own server', async () => {
    const { page, errors } = await openPage(browser)
    await page.goto(`${lectern.baseUrl}/reference/#/Project/getProject`)
    const operation = page.locator('#operations-Project-getProject')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.locator('input[placeholder="slug"]').fill('manual')
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    expect(errors).toEqual([])
  })
})
