// C8: analytics as pictures and numbers, gaps with their nearest pages.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

export function describeReaders(readLab: () => Lab): void {
  test('shows the numbers of the CSV, and draws a year', async () => {
    const { open, addProject, addSource, sync, site, lectern } = readLab()
    await addProject('read')
    await addSource('read', { type: 'site', url: `${site.url}guide/` })
    await sync('read')
    const path = '/api/v2/projects/read'
    for (const q of ['install', 'archive', 'zeppelin <b>']) {
      await lectern.call('GET', `${path}/search/?q=${encodeURIComponent(q)}`)
      // Another search of the same reader within five seconds would take its place.
      await lectern.call('POST', `${path}/search/click/`, { query: q, url: `${site.url}guide/`, position: 1 })
    }
    await lectern.call('POST', `${path}/chats/`, { message: 'How do zeppelins fly?' })
    const watched = await open('projects/read/readers')
    const { page, errors } = watched
    await page.getByRole('button', { name: '366 days' }).click()
    await page.getByRole('img', { name: 'Searches and clicks a day' }).locator('canvas').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Searches as CSV' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split(/\r?\n/)
    const { body } = await lectern.call('GET', `${path}/analytics/search/${new URL(page.url()).search}`)
    expect(body.daily).toHaveLength(366)
    expect(lines.filter((line) => line.startsWith('daily,'))).toHaveLength(366)
    const figures = page.locator('dl.figures').first()
    const { searches, clicks } = body.totals as unknown as Record<string, number>
    expect(searches).toBeGreaterThan(0)
    expect(await figures.innerText()).toMatch(new RegExp(`Searches\\s+${searches}\\s`))
    expect(await figures.innerText()).toMatch(new RegExp(`Clicks\\s+${clicks}\\s`))
    expect(lines.find((line) => line.startsWith('totals,'))).toContain(`,${searches},`)
    await takeScreenshot(page, 'console-readers')
    await expectAccessible(watched)
    expect(errors).toEqual([])
  })

  test('names the pages nearest to a gap, as text, and adds it to the evaluation', async () => {
    const { open } = readLab()
    const watched = await open('projects/read/readers', { colorScheme: 'dark' })
    const { page, errors } = watched
    const gap = page.getByRole('listitem').filter({ hasText: 'zeppelin' }).first()
    await gap.getByRole('button', { name: /^Nearest pages/ }).click()
    await gap.getByRole('list').waitFor()
    await gap.getByRole('button', { name: /^Add to evaluation/ }).click()
    await page.getByText('The question was added to the evaluation of this tab.').waitFor()
    expect(await page.locator('#screen b').count()).toBe(0)
    await takeScreenshot(page, 'console-readers dark')
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
    expect(errors).toEqual([])
  })
}
