// C8 and C10: analytics as charts and numbers, gaps with their nearest pages, evaluations.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { runCli } from '../e2e/cli.ts'
import { expectAccessible, expectNoSideways, type Lab, messageShown } from './lab.ts'

export function describeReaders(readLab: () => Lab): void {
  test('shows the numbers of the CSV, and draws a year', async () => {
    const { open, addProject, addSource, sync, site, lectern } = readLab()
    await addProject('read')
    await addSource('read', { type: 'site', url: `${site.url}guide/` })
    await sync('read')
    const path = '/api/v2/projects/read'
    for (const q of ['install', 'archive', 'zeppelin <b>']) {
      await lectern.call('GET', `${path}/search/?q=${encodeURIComponent(q)}`)
      // Another search of the same reader within five seconds would replace it.
      await lectern.call('POST', `${path}/search/click/`, { query: q, url: `${site.url}guide/`, position: 1 })
    }
    await lectern.call('POST', `${path}/chats/`, { message: 'How do zeppelins fly?' })
    // Recorded within seconds: the page is opened once nothing is pending.
    const readTotals = async () => (await lectern.call('GET', `${path}/analytics/search/`)).body.totals
    await expect.poll(readTotals, { timeout: 60_000 }).toMatchObject({ searches: 3, clicks: 3 })
    const watched = await open('projects/read/readers')
    const { page, errors } = watched
    const drawn = page.waitForResponse(/analytics\/search\/\?.*start_date=/)
    await page.getByRole('button', { name: '366 days' }).click()
    await drawn
    await page.getByRole('img', { name: 'Searches and clicks per day' }).locator('canvas').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Searches as CSV' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split(/\r?\n/)
    const { body } = await lectern.call('GET', `${path}/analytics/search/${new URL(page.url()).search}`)
    expect(body.daily).toHaveLength(366)
    expect(lines.filter((line) => line.startsWith('daily,'))).toHaveLength(366)
    const figures = page.locator('dl.figures').first()
    const { searches, clicks } = body.totals as unknown as Record<string, number>
    const text = expect.poll(() => figures.innerText())
    await text.toMatch(new RegExp(`Searches\\s+${searches}\\s`))
    await text.toMatch(new RegExp(`Clicks\\s+${clicks}\\s`))
    expect(lines.find((line) => line.startsWith('totals,'))).toContain(`,${searches},`)
    // Nobody has rated an answer.
    const series = page.locator('.u-series').filter({ hasText: 'Satisfaction' })
    await series.filter({ hasText: 'none' }).waitFor()
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
    await messageShown(page, 'The question was added to the evaluation of this tab.')
    expect(await page.locator('#screen b').count()).toBe(0)
    await takeScreenshot(page, 'console-readers dark')
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
    expect(errors).toEqual([])
  })

  test('evaluates with the numbers of the command, and stores no conversation', async () => {
    const { open, addProject, addSource, sync, site, lectern } = readLab()
    await addProject('judged')
    await addSource('judged', { type: 'site', url: `${site.url}guide/` })
    await sync('judged')
    const questions = [
      { question: 'How do I unpack the archive?', pages: ['guide/install.html'] },
      { question: 'What did older versions do?', pages: ['guide/nowhere.html'] },
      { question: 'Where do penguins <b>live</b>?', pages: [] },
    ]
    const text = questions.map((question) => JSON.stringify(question)).join('\n')
    const folder = await mkdtemp(join(tmpdir(), 'lectern-console-'))
    const file = join(folder, 'questions.jsonl')
    await writeFile(file, text)
    const { out } = await runCli(['eval', 'judged', file, '--json'], { LECTERN_GRPC: lectern.grpc })
    const scores = JSON.parse(out).scores as Record<string, number | null>

    const watched = await open('projects/judged/evaluation')
    const { page, errors } = watched
    await page.getByLabel('Questions').fill('{"question": ""}')
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.getByText('Line 1: “question” must be a text.').waitFor()
    await page.getByLabel('Open a file').setInputFiles(file)
    await expect.poll(() => page.getByLabel('Questions').inputValue()).toBe(text)
    await page.getByLabel(/^Also ask/).check()
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.getByRole('heading', { name: '3 questions' }).waitFor()
    const column = (at: number) =>
      expect.poll(() => page.locator(`tbody td:nth-child(${at})`).allInnerTexts())
    const expected = Object.entries(scores)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => (name === 'mrr' ? value!.toFixed(3) : `${(value! * 100).toFixed(1)} %`))
    await column(2).toEqual(expected)
    await page.getByText('The first run of these questions').waitFor()
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.getByText('2 runs of these questions in this browser').waitFor()
    await column(3).toEqual(expected)
    await page.getByRole('img', { name: /^MRR: [\d.]+, [\d.]+$/ }).waitFor()
    await page.getByRole('link', { name: 'What did older versions do?' }).waitFor()
    expect(await page.locator('#screen b').count()).toBe(0)
    await takeScreenshot(page, 'console-evaluation')
    await expectAccessible(watched)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(watched)
    expect((await lectern.call('GET', '/api/v2/projects/judged/chats/')).body.count).toBe(0)
    await rm(folder, { recursive: true })
    expect(errors).toEqual([])
  })
}
