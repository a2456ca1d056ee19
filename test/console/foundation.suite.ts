// Sign-in, addresses, permissions, and common properties of all screens.
import { expect, test } from 'vitest'
import { adminKey } from '../e2e/lectern-process.ts'
import { expectAccessible, type Lab } from './lab.ts'

export function describeFoundation(readLab: () => Lab): void {
  test('signs in with a key, keeps it in this tab only, and forgets it', async () => {
    const { open, lectern } = readLab()
    const watched = await open('', {}, null)
    const { page } = watched
    await expectAccessible(watched)
    await page.getByLabel('API key').fill('lec_wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The API key is unknown or revoked.').waitFor()
    await page.getByLabel('API key').fill('two words')
    await page.keyboard.press('Enter')
    await page.getByText('An API key has no spaces.').waitFor()
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await page.getByLabel('API key').fill(`Api-Key ${adminKey}`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(addresses.filter((url) => url.includes(adminKey))).toEqual([])
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual([
      '',
      0,
      1,
    ])
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(lectern.output.join('\n')).not.toContain(adminKey)
  })

  test('signs in with a link, once, and removes the link from the address', async () => {
    const { open, createLink } = readLab()
    const token = await createLink()
    const { page } = await open(`#link=${token}`, {}, null)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain(token)
    const again = await open(`#link=${token}`, {}, null)
    await again.page.getByLabel('API key').waitFor()
    await expect.poll(() => again.page.getByRole('alert').innerText()).toMatch(/\.$/)
  })

  test('takes a link that is pasted into an open console', async () => {
    const { open, createLink } = readLab()
    const { page } = await open('', {}, null)
    const follow = (token: string) => page.evaluate(`location.assign('#link=${token}')`)
    await page.getByLabel('API key').fill('lec_wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The API key is unknown or revoked.').waitFor()
    await follow('unknown')
    await page.getByText('There is no such sign-in link').waitFor()
    const token = await createLink()
    await follow(token)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain(token)
  })

  test('shows a view at its address, and navigates without reloading the page', async () => {
    const { open } = readLab()
    const { page, errors, hosts } = await open('projects/guide/pages')
    await page.getByRole('heading', { name: 'Pages', exact: true }).waitFor()
    await page.evaluate('window.isSame = true')
    await page.getByRole('link', { name: 'install.html' }).click()
    await page.getByRole('heading', { name: 'Page inspector' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/projects/guide/pages/lookup')
    await page.goBack()
    await page.getByRole('heading', { name: 'Pages', exact: true }).waitFor()
    await page.getByLabel('State').selectOption('failed')
    await expect.poll(() => page.url()).toContain('?status=failed')
    expect(await page.evaluate('window.isSame')).toBe(true)
    await page.reload()
    await expect.poll(() => page.getByLabel('State').inputValue()).toBe('failed')
    expect(errors).toEqual([])
    expect([...hosts]).toHaveLength(1)
  })

  test('shows its navigation on one line of a narrow window, with the open screen and the project in view', async () => {
    const { open } = readLab()
    const { page } = await open('projects/guide/settings', { viewport: { width: 390, height: 780 } })
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const readPlaces = () =>
      page.evaluate<object>(`(() => {
        const place = (selector) => document.querySelector(selector).getBoundingClientRect()
        const [nav, project, current] = ['nav', 'nav select', 'nav [aria-current]'].map(place)
        return {
          isLow: nav.height < 60,
          isProjectInView: project.left >= nav.left && project.right <= nav.right,
          isCurrentInView: current.left >= project.right && current.right <= nav.right,
        }
      })()`)
    await page.locator('nav option').first().waitFor({ state: 'attached' })
    await expect.poll(readPlaces).toEqual({ isLow: true, isProjectInView: true, isCurrentInView: true })
  })

  test('reports an unknown view, and one that the key may not see', async () => {
    const { open, createKey } = readLab()
    const lost = await open('projects/guide/nothing')
    await lost.page.getByText('The console has no screen at this address.').waitFor()
    const key = await createKey(['projects_read'])
    const { page } = await open('projects/guide/pages', {}, key)
    await page.getByText('Your key lacks the permission sync_read.').waitFor()
    expect(await page.getByRole('link', { name: 'Pages' }).count()).toBe(0)
    await expectAccessible(lost)
  })

  test('returns to the sign-in when the key is revoked', async () => {
    const { open, createKey, lectern } = readLab()
    const key = await createKey(['projects_read', 'sync_read'])
    const { page } = await open('', {}, key)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const own = await fetch(`${lectern.baseUrl}/api/v2/keys/own/`, {
      headers: { authorization: `Api-Key ${key}` },
    })
    const { uuid } = (await own.json()) as { uuid: string }
    await lectern.call('DELETE', `/api/v2/keys/${uuid}/`)
    // The overview polls every few seconds.
    await page.getByText('The API key is unknown or revoked.').waitFor()
  })

  test('loads at most 70 KB before the first screen', async () => {
    const { open } = readLab()
    const { page } = await open('', {}, null)
    await page.getByLabel('API key').waitFor()
    await page.evaluate((key) => sessionStorage.setItem('lectern-console-key', key), adminKey)
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const bytes = await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry) => 'encodedBodySize' in entry && !entry.name.includes('/api/'))
        .reduce((sum, entry) => sum + (entry as unknown as { encodedBodySize: number }).encodedBodySize, 0),
    )
    expect(bytes).toBeGreaterThan(5_000)
    expect(bytes).toBeLessThan(70 * 1024)
  })
}
