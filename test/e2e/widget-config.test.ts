// The first request of the widget, from a page of another site: the settings of its project.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { createKeyService } from '../../services/key/key-service.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { openRestLab } from './rest-lab.ts'

const lab = await openRestLab((deps) => ({
  projects: createProjectService(deps),
  keys: createKeyService(deps),
}))
const config = {
  chat: { initial_message: 'Hello', suggested_questions: ['How?'], think_mode: true },
  search: { filters: [{ title: 'API', url: '/api/' }] },
  mcp: { enabled: true, server_name: 'Guide' },
}
const uuid = (await lab.ask('POST', 'projects/', { name: 'Guide', whitelabel: true, config })).body.uuid
await lab.makeProject({ name: 'Closed', is_private: true })
afterAll(() => lab.close())

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(lab.gateway.url + path, { headers })

it('returns only what a widget shows, the same by slug and by UUID', async () => {
  const answer = await read('/widget-config/guide')
  expect(await answer.json()).toEqual({
    slug: 'guide',
    uuid,
    name: 'Guide',
    whitelabel: true,
    filters: [{ title: 'API', url: '/api/', position: 1 }],
    initial_message: 'Hello',
    suggested_questions: ['How?'],
    think_mode: true,
    actions: [],
    mcp_enabled: true,
    mcp_server_name: 'Guide',
    languages: [],
  })
  expect(await (await read(`/widget-config/${uuid}/`)).json()).toMatchObject({ slug: 'guide' })
})

it('is cached for five minutes and open to every site', async () => {
  const { headers } = await read('/widget-config/guide', { origin: 'https://docs.example.org' })
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const preflight = await fetch(`${lab.gateway.url}/widget-config/guide`, { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
})

it('requires a key for a private project, and is not cached by shared caches', async () => {
  const refused = await read('/widget-config/closed')
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    401,
    'unauthenticated',
  ])
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  const { key } = (await lab.ask('POST', 'keys/', { name: 'Reader', permissions: ['search'] })).body
  const answer = await read('/widget-config/closed', { authorization: `Api-Key ${key}` })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, max-age=300'])
})

it.each(['nothing', randomUUID()])('returns an error for the unknown project %s', async (slug) => {
  const answer = await read(`/widget-config/${slug}`)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
})

it('has the action buttons of answers, which a separate call sets', async () => {
  const ask = (method: string, path: string, body: object) => lab.ask(method, `projects/guide/${path}`, body)
  const actions = [{ name: 'support', button_text: 'Ask us', url: 'https://example.com/' }]
  const { status, body } = await ask('POST', 'chat-actions/', { actions })
  expect([status, body.config.chat.actions]).toEqual([200, actions])
  const bad = await ask('POST', 'chat-actions/', { actions: [{ ...actions[0], url: 'x' }] })
  expect([bad.status, Object.keys(bad.body.fields)]).toEqual([400, ['actions[0].url']])
  expect((await ask('PATCH', '', { config: { chat: { actions } } })).status).toBe(400)
  expect((await ask('POST', 'chat-actions/', {})).body.config.chat.actions).toEqual([])
})
