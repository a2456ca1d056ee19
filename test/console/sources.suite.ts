// C4: sources without curl.
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { htmlPage } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import { expectAccessible, expectNoSideways, type Lab, messageShown } from './lab.ts'

export function describeSources(readLab: () => Lab): void {
  test('wraps names that are long addresses', async () => {
    const { open, addProject, addSource } = readLab()
    await addProject('long-names')
    const url = `https://docs.example.com/${'folder'.repeat(20)}/`
    const uuid = await addSource('long-names', { type: 'site', url })
    for (const path of ['sources', `sources/${uuid}`]) {
      const { page } = await open(`projects/long-names/${path}`, { viewport: { width: 390, height: 780 } })
      await page.getByRole('heading', { name: url }).waitFor()
      await expectNoSideways(page)
    }
  })

  test('adds a source, shows errors of the API at their fields, and never shows stored credentials', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('added')
    const watched = await open('projects/added/sources')
    const { page } = watched
    await page.getByText('The project has no sources').waitFor()
    await page.getByRole('link', { name: 'Add a source' }).click()
    await page.getByRole('heading', { name: 'Add a source' }).waitFor()
    await takeScreenshot(page, 'console-source-new')
    await expectAccessible(watched)
    await page.getByRole('radio', { name: 'Sitemap' }).check()
    await expect.poll(() => page.url()).toContain('type=sitemap')
    await page.getByLabel('Address', { exact: true }).fill('https://docs.example.com/pages')
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('must end in .xml or .xml.gz').first().waitFor()
    await expect
      .poll(() => page.getByLabel('Address', { exact: true }).getAttribute('aria-invalid'))
      .toBe('true')
    await page.getByLabel('Include').fill('/guide/**\n/pages/[')
    await page.getByLabel('Address', { exact: true }).fill('https://docs.example.com/sitemap.xml')
    await page.getByText('The field “Include” (entry 2) has a "[" without its "]".').waitFor()
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('entry 2 has a "[" without its "]"', { exact: true }).waitFor()
    await page.getByRole('radio', { name: 'Confluence' }).check()
    await page.getByLabel('Address', { exact: true }).fill('https://example.atlassian.net/wiki')
    await page.getByLabel('Key of the space').fill('DOCS')
    await page.getByLabel('E-mail of the account').fill('ada@example.com')
    await page.getByLabel('API token').fill('a-secret-token')
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('not read yet').waitFor()
    const { body } = await lectern.call('GET', '/api/v2/projects/added/sources/')
    expect(body.results).toMatchObject([{ type: 'confluence', space_key: 'DOCS' }])
    await page.getByRole('link', { name: 'Edit and test' }).click()
    expect(await page.getByLabel('API token').inputValue()).toBe('')
    expect(await page.content()).not.toContain('a-secret-token')
  })

  test('names a field only where a message has its name', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('doubled')
    const url = 'https://docs.example.com/page'
    await lectern.call('POST', '/api/v2/projects/doubled/sources/', { type: 'url', url })
    const { page } = await open('projects/doubled/sources/new?type=url')
    await page.getByLabel('Address', { exact: true }).fill(url)
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('The project has a url source with this address already.').waitFor()
  })

  test('counts known pages under unsaved globs, and tests an address with them', async () => {
    const { open, site, lectern } = readLab()
    const { page, errors } = await open('projects/guide/sources')
    await page.getByRole('link', { name: 'Edit and test' }).click()
    await page.getByText(/^\d+ of \d+ pages match/).waitFor()
    const [, total] = /of (\d+)/.exec(await page.getByText(/^\d+ of \d+ pages match/).innerText())!
    await page.getByLabel('Exclude').fill('/guide/old*')
    await page.getByText(`${Number(total) - 1} of ${total} pages match`).waitFor()
    const tester = page.getByLabel('Address to test')
    await tester.fill(`${site.url}guide/old.html`)
    await page.keyboard.press('Enter')
    const result = page.locator('.card', { has: tester }).getByRole('status')
    await result.getByText('excluded').first().waitFor()
    await tester.fill(`${site.url}guide/install.html`)
    await page.keyboard.press('Enter')
    await result.getByText('indexed', { exact: true }).waitFor()
    await takeScreenshot(page, 'console-source')
    expect(errors).toEqual([])
    const { body } = await lectern.call('GET', '/api/v2/projects/guide/sources/')
    expect(body.results[0].exclude).toEqual([])
  })

  test('sends unsaved request headers, and never shows them', async () => {
    const { open, addProject, site, lectern } = readLab()
    await addProject('locked')
    site.pages.set('/locked/', (request, response) => {
      if (request.headers['x-door'] !== 'open sesame') return response.writeHead(401).end('no')
      response.end(htmlPage('Locked', 'Behind a door.'))
    })
    const { page } = await open('projects/locked/sources/new?type=site')
    await page.getByLabel('Address', { exact: true }).fill(`${site.url}locked/`)
    await page.getByLabel('Address to test').fill(`${site.url}locked/`)
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('(http_4xx)').waitFor()
    await page.getByLabel('Request headers').fill('no header')
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('no header is no header.').waitFor()
    await page.getByLabel('Request headers').fill('X-Door: open sesame')
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('indexed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.getByRole('link', { name: 'Edit and test' }).click()
    expect(await page.getByLabel('Request headers').inputValue()).toBe('')
    const { body } = await lectern.call('GET', '/api/v2/projects/locked/sources/')
    expect(JSON.stringify(body)).not.toContain('sesame')
  })

  test('reports a conflict with another window, and loses nothing', async () => {
    const { open, addProject, addSource, site, lectern } = readLab()
    await addProject('twice')
    const uuid = await addSource('twice', { type: 'site', url: `${site.url}guide/` })
    const path = `/api/v2/projects/twice/sources/${uuid}/`
    const { page } = await open(`projects/twice/sources/${uuid}`)
    await page.getByLabel('Page limit').fill('10')
    await page.getByLabel('Name').fill('Mine')
    await lectern.call('PATCH', path, { max_pages: 99, exclude: ['/theirs/**'] })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Nothing was saved: somebody else changed “Page limit” meanwhile.').waitFor()
    expect((await lectern.call('GET', path)).body).toMatchObject({ max_pages: 99, exclude: ['/theirs/**'] })
    const read = (label: string) => expect.poll(() => page.getByLabel(label).inputValue())
    await read('Page limit').toBe('10')
    await read('Exclude').toBe('/theirs/**')
    await page.getByRole('button', { name: 'Save' }).click()
    await messageShown(page, 'The source was saved.')
    expect((await lectern.call('GET', path)).body).toMatchObject({
      name: 'Mine',
      max_pages: 10,
      exclude: ['/theirs/**'],
    })
  })

  test('uploads files, and reports why one is rejected', async () => {
    const { open, addProject } = readLab()
    await addProject('files')
    const { page } = await open('projects/files/sources')
    const files = [
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n\nWombats.\n') },
      { name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('Capybaras.\n') },
    ]
    await page.getByLabel('Drop files here').setInputFiles(files)
    await messageShown(page, 'Uploaded 2 files.')
    await page.getByRole('heading', { name: 'notes.md' }).waitFor()
    await page
      .getByLabel('Drop files here')
      .setInputFiles([{ name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no pdf') }])
    await page.locator('.toast.bad').waitFor()
    expect(await page.locator('.toast.bad').innerText()).toMatch(/^broken\.pdf is no PDF/)
    await page
      .getByLabel('Drop files here')
      .setInputFiles([{ name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('no zip') }])
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill('https://docs.example.com/')
    await page.keyboard.press('Enter')
    await dialog.getByText('broken.zip is no ZIP archive').waitFor()
    expect(await dialog.getByLabel('Address').inputValue()).toBe('https://docs.example.com/')
    await page.keyboard.press('Escape')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'notes.md' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await messageShown(page, 'notes.md was deleted.')
  })

  test('uploads a zipped site of 250 MB with progress, and cancels', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('zipped')
    const folder = createFolder()
    const path = join(folder, 'manual.zip')
    await writeFile(path, 'PK')
    await truncate(path, 250 * 1024 * 1024)
    const { page } = await open('projects/zipped/sources')
    await page.getByLabel('Drop files here').setInputFiles(path)
    await page.getByLabel('Address').fill('https://docs.example.com/')
    // Throttled, so that it is not done before it is canceled.
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1 },
      uploadThroughput: 2 * 1024 * 1024,
    })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText(/^manual\.zip: [1-9]\d? %$/).waitFor()
    await takeScreenshot(page, 'console-upload')
    await page.getByRole('button', { name: 'Cancel the upload' }).click()
    await page.getByLabel('Drop files here').waitFor()
    const { body } = await lectern.call('GET', '/api/v2/projects/zipped/sources/')
    expect(body.count).toBe(0)
  })

  test('shows why a source failed, and a viewer no way to change it', async () => {
    const { open, createKey, addProject, addSource, sync } = readLab()
    await addProject('unread')
    await addSource('unread', { type: 'site', url: 'http://10.255.255.1/docs/' })
    await sync('unread')
    const key = await createKey(['projects_read', 'sources_read'])
    const watched = await open('projects/unread/sources', { colorScheme: 'dark' }, key)
    const { page } = watched
    await page.getByText('LECTERN_CRAWL_ALLOW').waitFor()
    expect(await page.getByRole('button', { name: /Delete/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: /Add|Edit/ }).count()).toBe(0)
    expect(await page.getByLabel('Drop files here').count()).toBe(0)
    await takeScreenshot(page, 'console-sources dark')
    await expectAccessible(watched)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSideways(page)
  })
}
