import { afterAll, describe, expect, it } from 'vitest'
import { createKeyService } from '../../services/key/key-service.ts'
import { permissions as allPermissions } from '../../services/permissions.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { toHandlerContext } from '../handler-context.ts'
import { openRestLab, type RestLab } from './rest-lab.ts'

const lab = await openRestLab((deps) => ({
  projects: createProjectService(deps),
  keys: createKeyService(deps),
}))
afterAll(() => lab.close())

const ask: RestLab['ask'] = (...request) => lab.ask(...request)
const makeProject: RestLab['makeProject'] = (given) => lab.makeProject(given)

const adminContext = (team: string) =>
  toHandlerContext({ caller: { team, admin: true, permissions: new Set(allPermissions) } })

describe('keys', () => {
  const makeKey = async (given: object) => (await ask('POST', 'keys/', { name: 'K', ...given })).body

  it('grant their permissions', async () => {
    const slug = await makeProject({ name: 'Private', is_private: true })
    const other = await makeProject({ name: 'Other private', is_private: true })
    const { key, uuid, ...shown } = await makeKey({ permissions: ['project_read'], projects: [slug] })
    expect(key).toMatch(/^lec_[0-9A-Za-z]{36}$/)
    expect(shown).toMatchObject({ permissions: ['projects_read'], projects: [slug], expires_at: null })
    expect((await ask('GET', `projects/${slug}/`, undefined, key)).status).toBe(200)
    expect((await ask('GET', 'projects/', undefined, key)).body.count).toBe(1)
    expect((await ask('GET', `projects/${other}/`, undefined, key)).status).toBe(403)
    expect((await ask('PATCH', `projects/${slug}/`, {}, key)).body.code).toBe('permission_denied')
    expect((await ask('GET', `projects/${slug}/`, undefined, '')).status).toBe(401)
    const listed = (await ask('GET', 'keys/')).body.results.find((one: { uuid: string }) => one.uuid === uuid)
    expect(listed).not.toHaveProperty('key')
    expect((await ask('DELETE', `keys/${uuid}/`)).status).toBe(204)
    expect((await ask('GET', `projects/${slug}/`, undefined, key)).status).toBe(401)
  })

  it('grant nothing that their creator lacks', async () => {
    const { key } = await makeKey({ permissions: ['keys_create', 'search'] })
    const more = await ask('POST', 'keys/', { name: 'L', permissions: ['sync_create'] }, key)
    expect([more.status, more.body.code]).toEqual([403, 'permission_denied'])
    expect((await ask('POST', 'keys/', { name: 'L', permissions: ['search'] }, key)).status).toBe(201)
  })

  it('scoped to projects see no key with a wider scope', async () => {
    const slug = await makeProject({ name: 'Scoped' })
    const wide = await makeKey({ permissions: ['search'] })
    const permissions = ['keys_read', 'keys_delete', 'keys_create', 'search']
    const scoped = await makeKey({ permissions, projects: [slug] })
    const own = await makeKey({ permissions: ['search'], projects: [slug] })
    const listed = (await ask('GET', 'keys/?limit=1&offset=1', undefined, scoped.key)).body
    expect([listed.count, listed.results.map(({ uuid }: { uuid: string }) => uuid)]).toEqual([
      2,
      [scoped.uuid],
    ])
    expect((await ask('DELETE', `keys/${wide.uuid}/`, undefined, scoped.key)).status).toBe(404)
    expect((await ask('DELETE', `keys/${own.uuid}/`, undefined, scoped.key)).status).toBe(204)
    expect((await ask('DELETE', `keys/${wide.uuid}/`)).status).toBe(204)
  })

  it.each<[object, string]>([
    [{ permissions: ['fly'] }, 'permissions[0]'],
    [{ permissions: [] }, 'permissions'],
    [{ permissions: ['search'], projects: ['none'] }, 'projects[0]'],
    [{ permissions: ['search'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ permissions: ['search'], expires_at: 'soon' }, 'expires_at'],
  ])('%j is rejected for its %s', async (given, field) => {
    const { status, body } = await ask('POST', 'keys/', { name: 'K', ...given })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  })

  it('return their own permissions', async () => {
    const slug = await makeProject({ name: 'Own' })
    const { key, ...made } = await makeKey({ permissions: ['search'], projects: [slug] })
    const { uuid, name, permissions, expires_at } = made
    const own = { uuid, name, permissions, projects: [slug], member_uuid: null, expires_at }
    const body = { ...own, team_uuid: lab.team, team_name: 'Red', admin: false }
    expect(await ask('GET', 'keys/own/', undefined, key)).toEqual({ status: 200, body })
    const { body: admin } = await ask('GET', 'keys/own/')
    const named = { team_uuid: lab.team, team_name: 'Red', name: 'Admin key', admin: true }
    expect(admin).toMatchObject({ ...named, uuid: null, projects: null, expires_at: null })
    expect(admin.permissions).toEqual(allPermissions)
    expect((await ask('GET', 'keys/own/', undefined, '')).body.code).toBe('unauthenticated')
  })

  it('are created from a sign-in link once', async () => {
    const { token } = await createKeyService(lab).createSignInLink({} as never, adminContext(lab.team))
    const tries = await Promise.all([1, 2, 3].map(() => ask('POST', 'keys/sign-in/', { token }, '')))
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 404, 404])
    const { key, uuid, name, permissions, expires_at } = tries.find(({ status }) => status === 201)!.body
    expect(name).toMatch(/^Console, \d{4}-\d\d-\d\d$/)
    expect(permissions).toEqual(allPermissions)
    const own = { uuid, expires_at, admin: true }
    expect((await ask('GET', 'keys/own/', undefined, key)).body).toMatchObject(own)
    expect((await ask('DELETE', `keys/${uuid}/`)).status).toBe(204)
    expect((await ask('GET', 'keys/own/', undefined, key)).status).toBe(401)
  })

  it('do not work as sign-in links, nor links as keys', async () => {
    const { key } = await makeKey({ permissions: ['search'] })
    expect((await ask('POST', 'keys/sign-in/', { token: key }, '')).status).toBe(404)
    const { token } = await createKeyService(lab).createSignInLink({} as never, adminContext(lab.team))
    expect((await ask('GET', 'keys/own/', undefined, token!)).status).toBe(401)
    expect((await ask('GET', 'keys/own/', undefined, key)).status).toBe(200)
  })
})
