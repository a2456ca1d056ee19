// C3: live runs, their outcomes and events.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { remedies } from '../../web/console/remedies.ts'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { expectAccessible, expectNoSideways, type Lab } from './lab.ts'

export function describeRuns(readLab: () => Lab): void {
  /** A project of pages that do not answer until `release`. */
  async function addSlow(slug: string) {
    const { site, addProject, addSource } = readLab()
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const names = Array.from({ length: 12 }, (_, at) => `page-${at}.html`)
    site.pages.set(`/${slug}/`, htmlPage('Slow', 'A list of pages.', names))
    for (const [at, name] of names.entries())
      site.pages.set(`/${slug}/${name}`, (_request, response) => {
        const answer = () => response.end(htmlPage(name, `The text of page number ${at}.`))
        if (at < 3) answer()
        else void promise.then(answer)
      })
    await addProject(slug)
    await addSource(slug, { type: 'site', url: `${site.url}${slug}/` })
    return release
  }

  const count = (name: string) => new RegExp(`^\\d+\\s*${name}$`)

  test('starts a run, follows its counts, and cancels it at once', async () => {
    const { open } = readLab()
    const release = await addSlow('slow')
    const watched = await open('projects/slow/runs')
    const { page, errors } = watched
    await page.getByText('The project was never synced').waitFor()
    await page.getByRole('button', { name: 'Start a sync' }).click()
    const outcomes = page.getByRole('list', { name: 'Outcomes' })
    await outcomes.getByText('4', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'running' }).waitFor()
    await takeScreenshot(page, 'console-run-live')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'cancelled' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    release()
    const sum = async () => {
      const numbers = await outcomes.locator('li').allInnerTexts()
      const read = (name: string) => Number.parseInt(numbers.find((each) => count(name).test(each))!, 10)
      return ['added', 'updated', 'unchanged', 'skipped', 'failed', 'not reached']
        .map(read)
        .reduce((a, b) => a + b)
    }
    await expect.poll(sum).toBe(13)
    expect(errors).toEqual([])
  })

  test('filters events, links to the page, and exports them as CSV', async () => {
    const { open, sync, site } = readLab()
    const uuid = await sync('guide')
    const watched = await open(`projects/guide/runs/${uuid}?type=page_skipped`)
    const { page, errors } = watched
    await page.getByRole('link', { name: '/guide/missing.html' }).waitFor()
    await takeScreenshot(page, 'console-run')
    await expectAccessible(watched)
    await page.getByLabel('Reason').selectOption('robots')
    await page.getByText('No event matches the filters').waitFor()
    await page.getByRole('link', { name: 'Show all events' }).click()
    await page.getByRole('row').filter({ hasText: 'run started' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    const lines = text.trim().split('\r\n')
    expect(lines[0]).toBe('sequence,at,level,type,url,source_uuid,reason,message')
    expect(lines.some((line) => line.includes(`page_skipped,${site.url}guide/missing.html`))).toBe(true)
    await page.getByRole('link', { name: '/guide/missing.html' }).click()
    await page.getByText('Restore the page or redirect its address').waitFor()
    expect(errors).toEqual([])
  })

  test('shows the reason and the message of an event at 390 px', async () => {
    const { open, sync } = readLab()
    const uuid = await sync('guide')
    const path = `projects/guide/runs/${uuid}?type=page_skipped`
    const { page } = await open(path, { viewport: { width: 390, height: 800 } })
    const row = page.getByRole('row').filter({ hasText: '/guide/missing.html' })
    await row.getByText(remedies.gone!.title).filter({ visible: true }).waitFor()
    await row.getByText('The server answered 404.').filter({ visible: true }).waitFor()
    await takeScreenshot(page, 'console-run-events at 390 px')
    const [height, needed] = await row.locator('.below').evaluate((each) => {
      const row = each.closest('tr')!
      return [
        row.getBoundingClientRect().height,
        each.getBoundingClientRect().bottom - row.getBoundingClientRect().top,
      ]
    })
    expect(needed).toBeLessThanOrEqual(height!)
    await expectNoSideways(page)
  })

  test('continues after the server was killed, and reports that the run was resumed', async () => {
    const { open, lectern, restart } = readLab()
    const release = await addSlow('killed')
    const { page } = await open('projects/killed/runs')
    await page.getByRole('button', { name: 'Start a sync' }).click()
    await page.getByRole('list', { name: 'Outcomes' }).getByText('4', { exact: true }).waitFor()
    await lectern.kill()
    await page.getByText('No answer came from Lectern').waitFor()
    await restart()
    await page.getByText('The run was resumed').waitFor()
    release()
    await page.getByRole('heading', { name: 'completed' }).waitFor()
    await expect.poll(() => page.getByText('No answer came from Lectern').count()).toBe(0)
  })

  test('draws the runs over time', async () => {
    const { open } = readLab()
    const watched = await open('projects/guide/runs', { colorScheme: 'dark' })
    const { page, errors } = watched
    await page.getByRole('heading', { name: /^Outcomes of the last/ }).waitFor()
    await takeScreenshot(page, 'console-runs dark')
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await takeScreenshot(page, 'console-runs at 390 px')
    await expectNoSideways(page)
    await page.locator('.chart a').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await takeScreenshot(page, 'console-run at 390 px')
    await expectAccessible(watched)
    await expectNoSideways(page)
    expect(errors).toEqual([])
  })

  test('hides start and cancel from a viewer', async () => {
    const { open, createKey, lectern } = readLab()
    const release = await addSlow('viewed')
    await lectern.call('POST', '/api/v2/projects/viewed/sync/', {})
    const key = await createKey(['projects_read', 'sync_read'])
    const { page } = await open('projects/viewed/runs', {}, key)
    await page
      .getByRole('link', { name: /ago|now/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'running' }).waitFor()
    expect(await page.getByRole('button', { name: /Cancel|Start/ }).count()).toBe(0)
    release()
  })
}
