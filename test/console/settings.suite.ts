// C7: settings of a project, API keys, the team.
import { expect, test } from 'vitest'
import { takeScreenshot } from '../e2e/browser.ts'
import { expectAccessible, expectNoSideways, type Lab, messageShown } from './lab.ts'

export function describeSettings(readLab: () => Lab): void {
  test('saves only changes, and describes the schedule in words', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('kept', { name: '<i>Kept</i>', allowed_domains: ['docs.example.com'] })
    const watched = await open('projects/kept/settings')
    const { page, errors } = watched
    await page.getByLabel('Schedule').fill('30 4 * * 1')
    await page.getByText('A sync starts every Monday at 04:30 (UTC).').waitFor()
    await expect.poll(() => page.getByText(/^Mon.* 04:30 UTC/).count()).toBe(3)
    await page.getByLabel('Greeting').fill('Hello, <b>you</b>')
    await page.getByLabel('Suggested questions').fill('How do I begin?\n\nWhat is new?')
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByLabel('Title').fill('Guide')
    await page.getByLabel('Pattern of addresses').fill('/guide/')
    const change = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    expect((await change).postDataJSON()).toEqual({
      config: {
        chat: {
          initial_message: 'Hello, <b>you</b>',
          suggested_questions: ['How do I begin?', 'What is new?'],
        },
        search: { filters: [{ title: 'Guide', url: '/guide/' }] },
        sync: { schedule: '30 4 * * 1' },
      },
    })
    await messageShown(page, 'The settings were saved.')
    const button = { name: 'support', button_text: 'Ask <b>us</b>', url: 'https://example.com/support' }
    await page.getByRole('button', { name: 'Add a button' }).click()
    const group = page.getByRole('group', { name: 'Button 1' })
    await group.getByLabel('Name').fill(button.name)
    await group.getByLabel('Label').fill(button.button_text)
    await group.getByLabel('Leads to').fill('javascript:alert(1)')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => group.getByLabel('Leads to').getAttribute('aria-invalid')).toBe('true')
    await page.getByText(/^The field “Leads to” must be/).waitFor()
    await group.getByLabel('Leads to').fill(button.url)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There are changes that are not saved.').waitFor({ state: 'detached' })
    await takeScreenshot(page, 'console-settings')
    await expectAccessible(watched)
    const { body } = await lectern.call('GET', '/api/v2/projects/kept/')
    expect(body).toMatchObject({ name: '<i>Kept</i>', config: { sync: { schedule: '30 4 * * 1' } } })
    expect(body.config.chat.actions).toEqual([button])
    expect(errors.filter((each) => !each.includes('status of 400'))).toEqual([])
  })

  test('keeps text that is typed during saving', async () => {
    const { page } = await readLab().open('projects/kept/settings')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/v2/projects/kept/', async (route) => {
      if (route.request().method() === 'PATCH') await held
      await route.continue()
    })
    const change = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByLabel('Tag').fill('saved')
    await page.getByRole('button', { name: 'Save' }).click()
    await change
    await page.getByLabel('Server name').fill('Typed meanwhile')
    release()
    await messageShown(page, 'The settings were saved.')
    expect(await page.getByLabel('Server name').inputValue()).toBe('Typed meanwhile')
    expect(await page.getByLabel('Tag').inputValue()).toBe('saved')
    await page.getByLabel('Server name').fill('')
    await page.getByLabel('Tag').fill('')
    await page.getByText('There are changes that are not saved.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('There are changes that are not saved.').waitFor({ state: 'detached' })
  })

  test('shows errors of the API at their fields', async () => {
    const { open } = readLab()
    const { page } = await open('projects/kept/settings')
    const save = () => page.getByRole('button', { name: 'Save' }).click()
    const isRefused = (label: string) =>
      expect.poll(() => page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Days').fill('none')
    await save()
    await isRefused('Days')
    await page.getByLabel('Days').fill('0')
    await page.getByLabel('Schedule').fill('0 3 * *')
    await save()
    await isRefused('Schedule')
    await isRefused('Days')
    await page.getByText('must be a five-field cron line in UTC, such as 0 3 * * *').first().waitFor()
    await page.getByLabel('Schedule').fill('')
    await page.getByLabel('Days').fill('')
    await page.getByLabel('Pattern of addresses').fill('/guide/(')
    await save()
    await isRefused('Pattern of addresses')
  })

  test('merges the changes of another window, and loses nothing', async () => {
    const { open, lectern } = readLab()
    const { page } = await open('projects/kept/settings')
    await page.getByLabel('Greeting').fill('Mine')
    await page.getByLabel('Tag').fill('agents')
    const theirs = { name: 'Theirs', config: { chat: { initial_message: 'From the other window' } } }
    await lectern.call('PATCH', '/api/v2/projects/kept/', theirs)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('somebody else changed “Greeting” meanwhile').waitFor()
    await page.getByText('to "From the other window"').waitFor()
    expect((await lectern.call('GET', '/api/v2/projects/kept/')).body).toMatchObject({
      name: 'Theirs',
      config: { chat: { initial_message: 'From the other window' }, mcp: { metadata_tag: null } },
    })
    await expect.poll(() => page.getByLabel('Greeting').inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await messageShown(page, 'The settings were saved.')
    expect((await lectern.call('GET', '/api/v2/projects/kept/')).body).toMatchObject({
      name: 'Theirs',
      config: { chat: { initial_message: 'Mine' }, mcp: { metadata_tag: 'agents' } },
    })
  })

  test('deletes a project after confirmation', async () => {
    const { open, addProject, lectern } = readLab()
    await addProject('doomed')
    const { page } = await open('projects/doomed/settings')
    await page.getByRole('button', { name: 'Delete the project' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the project' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect((await lectern.call('GET', '/api/v2/projects/doomed/')).status).toBe(404)
  })

  test('creates a key with the permissions for its purpose, shows it once, and revokes it', async () => {
    const { open, lectern } = readLab()
    const watched = await open('keys')
    const { page, errors } = watched
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('Release <b>script</b>')
    await page
      .getByLabel('For', { exact: true })
      .selectOption({ label: 'Start syncs, for a build or release' })
    await page.getByLabel('Projects', { exact: true }).selectOption({ label: 'these' })
    await page.getByLabel('guide', { exact: true }).check()
    await page.getByLabel('Expires').selectOption('30')
    await takeScreenshot(page, 'console-new-key')
    await expectAccessible(watched)
    await page.getByRole('button', { name: 'Create the key' }).click()
    const secret = await page.getByRole('status').locator('pre').innerText()
    expect(secret).toMatch(/^lec_\w{36}$/)
    const row = page.getByRole('row').filter({ hasText: 'Release <b>script</b>' })
    await row.getByText('sync_create, sync_read').waitFor()
    await row.getByText('guide').waitFor()
    await expectAccessible(watched)
    const asked = { headers: { authorization: `Api-Key ${secret}` } }
    expect((await fetch(`${lectern.baseUrl}/api/v2/projects/guide/syncs/`, asked)).status).toBe(200)
    await page.reload()
    await row.waitFor()
    expect(await page.content()).not.toContain(secret)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await messageShown(page, 'The key Release <b>script</b> was revoked.')
    expect((await fetch(`${lectern.baseUrl}/api/v2/projects/guide/syncs/`, asked)).status).toBe(401)
    expect(errors).toEqual([])
  })

  test('offers no permission that the own key lacks', async () => {
    const { open, createKey } = readLab()
    const key = await createKey(['keys_read', 'keys_create', 'search'], ['guide'])
    const { page } = await open('keys', {}, key)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('search', { exact: true }).waitFor()
    // One for all permissions, and one for each of the three.
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(4)
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0)
    await page.getByLabel('Name').fill('Narrow')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.locator('.error', { hasText: /\w/ }).first().waitFor()
    await page.getByLabel('search', { exact: true }).check()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('The key “Narrow” was created.').waitFor()
  })

  test('invites a person, who joins by the link; changes the role, and reports a conflict with another window', async () => {
    const { open, lectern } = readLab()
    const watched = await open('team')
    const { page, errors } = watched
    await page.getByText('No invitation is open.').waitFor()
    await page.getByLabel('E-mail').fill('nobody')
    await page.getByRole('button', { name: 'Invite' }).click()
    await expect.poll(() => page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('E-mail').fill('eve@example.com')
    await page.getByLabel('Role').selectOption('editor')
    await page.getByRole('button', { name: 'Invite' }).click()
    const link = await page.getByRole('status').locator('pre').innerText()
    await page.getByRole('cell', { name: 'eve@example.com' }).waitFor()
    await takeScreenshot(page, 'console-team')
    await expectAccessible(watched)

    const joined = await open(new URL(link).hash, { colorScheme: 'dark' }, null)
    await joined.page.getByLabel('Your name').fill('Eve')
    await expectAccessible(joined)
    expect(joined.page.url()).not.toContain('invitation')
    await joined.page.getByRole('button', { name: 'Accept the invitation' }).click()
    await joined.page.getByText('You are a member now.').waitFor()
    await expectAccessible(joined)
    await joined.page.getByRole('button', { name: 'Continue to the console' }).click()
    await joined.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await joined.page.getByRole('link', { name: 'Team' }).click()
    await joined.page.getByRole('cell', { name: 'Eve', exact: true }).waitFor()
    expect(await joined.page.getByRole('button', { name: /Change|Remove|Invite|Rename/ }).count()).toBe(0)

    await page.reload()
    await page.getByRole('button', { name: 'Change Eve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role').selectOption('administrator')
    const { body } = await lectern.call('GET', '/api/v2/team/members/')
    await lectern.call('PATCH', `/api/v2/team/members/${body.results[0].uuid}/`, { role: 'viewer' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('was changed in another window meanwhile, to "viewer"').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'administrator', exact: true }).waitFor()
    expect(errors.filter((each) => !each.includes('status of 400'))).toEqual([])
  })

  test.each([
    ['projects/kept/settings', 'Settings'],
    ['keys', 'Keys'],
    ['team', 'Team'],
  ])('passes axe in the dark scheme and at 390 px: %s', async (path, title) => {
    const watched = await readLab().open(path, { colorScheme: 'dark', viewport: { width: 390, height: 800 } })
    const { page } = watched
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    await takeScreenshot(page, `console-${title.toLowerCase()} dark at 390 px`)
    await expectAccessible(watched)
    await expectNoSideways(page)
  })
}
