// The console as a whole: it can write every field that the API accepts, and sends only requests that the API describes.
import { expect, test } from 'vitest'
import type { Lab } from './lab.ts'

interface Schema {
  $ref?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>
  components: { schemas: Record<string, Schema> }
}

export function describeWhole(readLab: () => Lab): void {
  async function readDescription(): Promise<Description> {
    return (await readLab().lectern.call('GET', '/api/v2/openapi.json')).body as unknown as Description
  }

  /** Fields of the body by their names: `config.search.filters.title`. */
  function listFields(description: Description, path: string, method = 'patch'): string[] {
    const below = (schema: Schema, prefix: string): string[] => {
      const given = schema.items ?? schema.anyOf?.find(({ $ref }) => $ref) ?? schema
      const whole = given.$ref
        ? description.components.schemas[given.$ref.slice('#/components/schemas/'.length)]!
        : given
      if (!whole.properties) return [prefix]
      return Object.entries(whole.properties).flatMap(([name, each]) =>
        below(each, prefix === '' ? name : `${prefix}.${name}`),
      )
    }
    return below(description.paths[path]![method]!.requestBody!.content['application/json']!.schema, '')
  }

  /** Names of the controls of a view. */
  async function readNames(path: string, ready: string, prepare: string[] = []): Promise<string[]> {
    const { page } = await readLab().open(path)
    await page.getByRole('heading', { name: ready }).first().waitFor()
    await expect.poll(() => page.locator('.waiting').count()).toBe(0)
    for (const button of prepare) await page.getByRole('button', { name: button }).first().click()
    const names = await page.evaluate<string[]>(
      'Array.from(document.querySelectorAll("[name]:not(:disabled), button[name]"), ({ name }) => name)',
    )
    await page.close()
    return names.map((name) => name.replaceAll(/\[\d+\]/g, ''))
  }

  test('writes every field of a project', async () => {
    const description = await readDescription()
    const fields = listFields(description, '/api/v2/projects/{slug}/')
    expect(fields).toContain('config.search.filters.position')
    const actions = listFields(description, '/api/v2/projects/{slug}/chat-actions/', 'post')
    expect(actions).toContain('actions.button_text')
    fields.push(...actions.map((name) => `config.chat.${name}`))
    const names = await readNames('projects/guide/settings', 'Settings', ['Add a filter', 'Add a button'])
    expect(fields.filter((field) => !names.includes(field))).toEqual([])
  })

  test('writes every field of a source', async () => {
    const { addProject, addSource } = readLab()
    const fields = listFields(await readDescription(), '/api/v2/projects/{slug}/sources/{source_uuid}/')
    expect(fields).toContain('credentials.token')
    await addProject('all-types')
    const url = 'https://docs.example.com/'
    const sources = [
      { type: 'site', url },
      { type: 'sitemap', url: `${url}sitemap.xml` },
      { type: 'url', url },
      { type: 'repository', url: `${url}docs.git` },
      { type: 'openapi', spec: { openapi: '3.1.0', info: { title: 'An API', version: '1' }, paths: {} } },
      {
        type: 'confluence',
        url,
        space_key: 'DOCS',
        credentials: { email: 'a@example.com', token: 'secret' },
      },
    ]
    const names = new Set<string>()
    for (const source of sources) {
      const name = `The ${source.type}`
      const uuid = await addSource('all-types', { ...source, name })
      for (const each of await readNames(`projects/all-types/sources/${uuid}`, name)) names.add(each)
    }
    expect(fields.filter((field) => !names.has(field))).toEqual([])
  })

  test('writes every field of the team and of its members', async () => {
    const { lectern } = readLab()
    const description = await readDescription()
    const invitation = { email: 'adam@example.com', role: 'viewer' }
    const { body } = await lectern.call('POST', '/api/v2/team/invitations/', invitation)
    await lectern.call('POST', '/api/v2/team/invitations/accept/', { token: body.token, name: 'Adam' })
    expect(await readNames('team', 'Members')).toEqual(
      expect.arrayContaining(listFields(description, '/api/v2/team/')),
    )
    const { page } = await readLab().open('team')
    await page
      .getByRole('button', { name: /^Change / })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    for (const field of listFields(description, '/api/v2/team/members/{member_uuid}/'))
      await dialog.locator(`[name=${field}]`).waitFor()
  })

  test('shows a viewer no forbidden button on any screen', async () => {
    const { open, createKey } = readLab()
    const viewer = 'projects_read search sources_read sync_read chats_read analytics_read team_read'
    const { page, errors } = await open('projects/guide/pages', {}, await createKey(viewer.split(' ')))
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    const navigation = page.getByRole('navigation')
    await navigation.getByRole('link', { name: 'System' }).waitFor()
    const titles = await navigation.getByRole('link').allInnerTexts()
    expect(titles).toEqual([
      ...['Overview', 'Pages', 'Runs', 'Sources', 'Search and ask', 'Readers', 'Conversations'],
      ...['Evaluation', 'Health', 'Embed', 'Team', 'System'],
    ])
    const buttons = new Set<string>()
    // The overview and links after the project navigate away from it, so they come last.
    for (const title of [...titles.slice(1), 'Overview']) {
      await navigation.getByRole('link', { name: title, exact: true }).click()
      await page.getByRole('heading', { name: title, exact: true }).first().waitFor()
      await expect.poll(() => page.locator('.waiting').count()).toBe(0)
      const shown = page.locator('#screen :is(button, a.button, label.button):enabled, #screen a.button')
      for (const text of await shown.allInnerTexts()) buttons.add(text.trim())
    }
    const reading = ['Look up', '7 days', '30 days', '90 days', '366 days', 'CSV', 'Nearest pages']
    // The last one belongs to the widget, in its preview.
    const own = [
      'Add to evaluation',
      'Open a file',
      'Save as a file',
      'Evaluate',
      'Copy',
      'Search or ask\nCtrl K',
    ]
    expect([...buttons].filter((text) => ![...reading, ...own].includes(text))).toEqual([])
    expect(buttons).toContain('Evaluate')
    expect(refused).toEqual([])
    expect(errors).toEqual([])
  })

  test('has sent no request that the description lacks', async () => {
    const { paths } = await readDescription()
    const known = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => {
        const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
        return new RegExp(`^${method.toUpperCase()} ${pattern}$`)
      }),
    )
    const asked = [...readLab().requests]
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((request) => !known.some((pattern) => pattern.test(request)))).toEqual([])
  })
}
