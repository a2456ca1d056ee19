// A team over REST: members by invitation, permissions of their roles and keys, and isolation from other teams.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey, type LecternProcess, startLectern } from './lectern-process.ts'

let lectern: LecternProcess
let people = 0
beforeAll(async () => {
  lectern = await startLectern({ env: { LECTERN_PAGE_LIMIT: '500' } })
  expect((await ask('POST', '/projects/', { name: 'Docs' })).status).toBe(201)
})
afterAll(() => lectern.remove())

async function ask(method: string, path: string, body?: unknown, key: string = adminKey) {
  const answer = await fetch(`${lectern.baseUrl}/api/v2${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Api-Key ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of bodies
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
}

const invite = (role: string, key?: string, email = `person${++people}@d.example`) =>
  ask('POST', '/team/invitations/', { email, role }, key)

/** Creates a member with that role, and a personal key. */
async function join(role: string): Promise<{ uuid: string; email: string; key: string }> {
  const { token } = (await invite(role)).body
  const { status, body } = await ask('POST', '/team/invitations/accept/', { token, name: 'Ann' }, '')
  expect(status).toBe(201)
  return { ...body.member, key: body.key }
}

async function makeKey(permissions: string[], key?: string) {
  const { status, body } = await ask('POST', '/keys/', { name: 'K', permissions }, key)
  expect(status).toBe(201)
  return body.key as string
}

describe('a team', () => {
  it('has a name, a subscription and a trial', async () => {
    const { status, body } = await ask('GET', '/team/')
    expect(status).toBe(200)
    expect(body).toEqual({
      uuid: expect.any(String),
      name: 'Team',
      subscription: { status: 'active', plan: 'self_hosted', page_limit: 500 },
      trial: { active: false, ends_at: null },
    })
  })

  it('can be renamed', async () => {
    expect((await ask('PATCH', '/team/', { name: ' Writers ' })).body.name).toBe('Writers')
    expect((await ask('GET', '/team/')).body.name).toBe('Writers')
    expect((await ask('PATCH', '/team/', {})).body.name).toBe('Writers')
    expect(await ask('PATCH', '/team/', { name: '' })).toMatchObject({
      status: 400,
      body: { fields: { name: expect.anything() } },
    })
    expect((await ask('PATCH', '/team/', { name: '  ' })).status).toBe(400)
    expect(await ask('PATCH', '/team/', { uuid: 'x' })).toMatchObject({ status: 400 })
  })
})

describe('an invitation', () => {
  it('returns its token once, is listed without it, and creates a member with a personal key', async () => {
    const made = await invite('editor', undefined, 'Bea@D.example')
    expect(made).toMatchObject({
      status: 201,
      body: {
        uuid: expect.any(String),
        email: 'bea@d.example',
        role: 'editor',
        token: expect.stringMatching(/^[\w-]{43}$/),
      },
    })
    const { token, ...shown } = made.body
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(7 * 24 * 3_600_000)
    expect((await ask('GET', '/team/invitations/')).body.results).toEqual([shown])

    const accepted = await ask('POST', '/team/invitations/accept/', { token, name: ' Bea ' }, '')
    expect(accepted).toMatchObject({
      status: 201,
      body: {
        member: { name: 'Bea', email: 'bea@d.example', role: 'editor' },
        key: expect.stringMatching(/^lec_/),
      },
    })
    expect((await ask('GET', '/team/invitations/')).body.count).toBe(0)
    const { results } = (await ask('GET', '/team/members/')).body
    expect(results).toContainEqual(accepted.body.member)
    const keys = (await ask('GET', '/keys/')).body.results
    const own = keys.find((key: { member_uuid: string }) => key.member_uuid === accepted.body.member.uuid)
    expect(own.permissions).toContain('sync_create')
    expect(own.permissions).not.toContain('team_update')
  })

  it('works once, even for many simultaneous requests', async () => {
    const { token } = (await invite('viewer')).body
    const accept = () => ask('POST', '/team/invitations/accept/', { token, name: 'Ann' }, '')
    const statuses = (await Promise.all([accept(), accept(), accept(), accept()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 404, 404, 404])
  })

  it('does not work if it was revoked or never existed', async () => {
    const { uuid, token } = (await invite('viewer')).body
    expect((await ask('DELETE', `/team/invitations/${uuid}/`)).status).toBe(204)
    expect((await ask('DELETE', `/team/invitations/${uuid}/`)).status).toBe(404)
    for (const wrong of [token, 'x', uuid]) {
      expect((await ask('POST', '/team/invitations/accept/', { token: wrong, name: 'Ann' }, '')).status).toBe(
        404,
      )
    }
  })

  it('is refused to a member, and creates no second member with the same address', async () => {
    const email = `twice${++people}@d.example`
    const [one, two] = [
      (await invite('viewer', undefined, email)).body,
      (await invite('viewer', undefined, email)).body,
    ]
    const accept = (token: string) => ask('POST', '/team/invitations/accept/', { token, name: 'Ann' }, '')
    expect((await accept(one.token)).status).toBe(201)
    expect(await accept(two.token)).toMatchObject({ status: 409, body: { code: 'member_exists' } })
    expect(await invite('viewer', undefined, email.toUpperCase())).toMatchObject({
      status: 409,
      body: { code: 'member_exists', fields: { email: ['is a member already'] } },
    })
  })

  it.each([
    [{ email: 'nobody', role: 'viewer' }, 'email'],
    [{ email: 'a@d.example', role: 'king' }, 'role'],
    [{ email: 'a@d.example' }, 'role'],
    [{ role: 'viewer' }, 'email'],
  ])('%j is rejected', async (body, field) => {
    const answer = await ask('POST', '/team/invitations/', body)
    expect([answer.status, Object.keys(answer.body.fields)]).toEqual([400, [field]])
  })

  it('grants nothing that its creator lacks', async () => {
    const key = await makeKey(['team_update', 'team_read'])
    for (const role of ['viewer', 'administrator']) {
      expect(await invite(role, key)).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    }
    const viewers = 'projects_read sources_read sync_read chats_read analytics_read team_read search'.split(
      ' ',
    )
    const some = await makeKey([...viewers, 'team_update'])
    expect((await invite('viewer', some)).status).toBe(201)
    expect((await invite('editor', some)).status).toBe(403)
    const { uuid } = await join('viewer')
    expect((await ask('PATCH', `/team/members/${uuid}/`, { role: 'editor' }, some)).status).toBe(403)
  })
})

/** Columns: viewer, editor, maintainer, administrator. */
const matrix: [string, string, unknown, [number, number, number, number]][] = [
  ['GET', '/projects/', undefined, [200, 200, 200, 200]],
  ['GET', '/projects/docs/sources/', undefined, [200, 200, 200, 200]],
  ['GET', '/projects/docs/syncs/', undefined, [200, 200, 200, 200]],
  ['GET', '/projects/docs/chats/', undefined, [200, 200, 200, 200]],
  ['GET', '/team/members/', undefined, [200, 200, 200, 200]],
  ['GET', '/keys/', undefined, [403, 403, 200, 200]],
  ['PATCH', '/projects/docs/', {}, [403, 200, 200, 200]],
  ['POST', '/projects/docs/sources/', { type: 'king' }, [403, 400, 400, 400]],
  ['DELETE', '/projects/docs/sources/none/', undefined, [403, 404, 404, 404]],
  ['POST', '/projects/docs/sync/none/cancel/', undefined, [403, 404, 404, 404]],
  ['POST', '/projects/', {}, [403, 403, 400, 400]],
  ['DELETE', '/projects/docs/chats/none/', undefined, [403, 403, 404, 404]],
  ['DELETE', '/keys/none/', undefined, [403, 403, 404, 404]],
  ['PATCH', '/team/', {}, [403, 403, 403, 200]],
  ['GET', '/team/invitations/', undefined, [200, 200, 200, 200]],
  ['POST', '/teams/', { name: 'x' }, [403, 403, 403, 403]],
]

describe('a role', () => {
  const roles = ['viewer', 'editor', 'maintainer', 'administrator']
  const keys: string[] = []
  beforeAll(async () => {
    for (const role of roles) keys.push((await join(role)).key)
  })

  it.each(matrix)('%s %s %j', async (method, path, body, expected) => {
    const statuses: number[] = []
    for (const key of keys) statuses.push((await ask(method, path, body, key)).status)
    expect(statuses).toEqual(expected)
  })
})

describe('a member', () => {
  it('with a new role has its permissions from the next call on', async () => {
    const { uuid, key } = await join('viewer')
    const change = () => ask('PATCH', '/projects/docs/', {}, key)
    expect((await change()).status).toBe(403)
    const changed = await ask('PATCH', `/team/members/${uuid}/`, { role: 'editor', name: 'Cleo' })
    expect(changed).toMatchObject({ status: 200, body: { uuid, role: 'editor', name: 'Cleo' } })
    expect((await change()).status).toBe(200)
    await ask('PATCH', `/team/members/${uuid}/`, { role: 'viewer' })
    expect((await change()).status).toBe(403)
  })

  it('creates keys within the role, which end with the member', async () => {
    const { uuid, key } = await join('maintainer')
    const made = await makeKey(['projects_update', 'projects_read'], key)
    const change = () => ask('PATCH', '/projects/docs/', {}, made)
    expect((await change()).status).toBe(200)
    await ask('PATCH', `/team/members/${uuid}/`, { role: 'viewer' })
    expect((await change()).status).toBe(403)
    expect((await ask('GET', '/projects/', undefined, made)).status).toBe(200)

    expect((await ask('DELETE', `/team/members/${uuid}/`)).status).toBe(204)
    for (const gone of [key, made]) {
      expect(await ask('GET', '/projects/', undefined, gone)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      })
    }
    const { results } = (await ask('GET', '/keys/?limit=100')).body
    expect(results.filter(({ member_uuid }: { member_uuid: string }) => member_uuid === uuid)).toEqual([])
    expect((await ask('DELETE', `/team/members/${uuid}/`)).status).toBe(404)
    expect((await ask('PATCH', `/team/members/${uuid}/`, { name: 'x' })).status).toBe(404)
  })
})

const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const allPermissions =
  'projects_create projects_read projects_update projects_delete search sources_read sources_create sources_delete sync_create sync_read chats_create chats_read chats_delete analytics_read team_read team_update keys_read keys_create keys_delete'.split(
    ' ',
  )

describe('permissions', () => {
  it('of an expiring key neither invite members nor raise roles', async () => {
    const expiring = { name: 'K', permissions: allPermissions, projects: null, expires_at: soon() }
    const { key } = (await ask('POST', '/keys/', expiring)).body
    expect(await invite('viewer', key)).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    const { uuid } = await join('editor')
    const change = (role: string) => ask('PATCH', `/team/members/${uuid}/`, { role, name: 'Bo' }, key)
    expect(await change('maintainer')).toMatchObject({
      status: 403,
      body: { fields: { role: expect.anything() } },
    })
    expect((await change('editor')).status).toBe(200)
    expect((await change('viewer')).status).toBe(200)
    expect((await change('editor')).status).toBe(403)
  })

  it('of an invitation end with the creator’s key, membership or role', async () => {
    const accept = async (token: string) =>
      (await ask('POST', '/team/invitations/accept/', { token, name: 'Ann' }, '')).status
    const made = (await ask('POST', '/keys/', { name: 'K', permissions: allPermissions })).body
    const member = await join('administrator')
    const demoted = await join('administrator')
    const tokens = []
    for (const key of [made.key, member.key, demoted.key])
      tokens.push((await invite('administrator', key)).body.token)
    expect((await ask('DELETE', `/keys/${made.uuid}/`)).status).toBe(204)
    expect((await ask('DELETE', `/team/members/${member.uuid}/`)).status).toBe(204)
    expect((await ask('PATCH', `/team/members/${demoted.uuid}/`, { role: 'maintainer' })).status).toBe(200)
    for (const token of tokens) expect(await accept(token)).toBe(404)

    // A member may create another key, so the invitation of a member outlives the key.
    const { key } = await join('administrator')
    const { results } = (await ask('GET', '/keys/?limit=1')).body
    const { token } = (await invite('administrator', key)).body
    expect((await ask('DELETE', `/keys/${results[0].uuid}/`)).status).toBe(204)
    expect(await accept(token)).toBe(201)
  })

  it('below those of the target do not suffice to delete keys, remove members or change roles', async () => {
    const administrator = await join('administrator')
    const maintainer = await join('maintainer')
    const refused = { status: 403, body: { code: 'permission_denied' } }
    const { results } = (await ask('GET', '/keys/?limit=100')).body
    const keyOf = (member: { uuid: string }) =>
      results.find(({ member_uuid }: { member_uuid: string }) => member_uuid === member.uuid).uuid
    const unbound = (await ask('POST', '/keys/', { name: 'K', permissions: ['team_update'] })).body
    for (const uuid of [keyOf(administrator), unbound.uuid])
      expect(await ask('DELETE', `/keys/${uuid}/`, undefined, maintainer.key)).toMatchObject(refused)
    expect((await ask('GET', '/team/', undefined, administrator.key)).status).toBe(200)

    const narrow = await makeKey(['team_read', 'team_update', 'search'])
    const path = `/team/members/${administrator.uuid}/`
    expect(await ask('DELETE', path, undefined, narrow)).toMatchObject(refused)
    const viewers = allPermissions.filter((name) => name.endsWith('_read') || name === 'search')
    const wide = await makeKey([...viewers, 'team_update'])
    expect(await ask('PATCH', path, { role: 'viewer' }, wide)).toMatchObject(refused)
    expect((await ask('PATCH', path, { name: 'Dee' }, wide)).status).toBe(200)

    // A target with equal or fewer permissions can be changed.
    expect((await ask('DELETE', `/keys/${keyOf(maintainer)}/`, undefined, maintainer.key)).status).toBe(204)
    expect((await ask('DELETE', path, undefined, administrator.key)).status).toBe(204)
  })

  it('of the last administrator remain: no removal, no demotion', async () => {
    const { key } = (await ask('POST', '/teams/', { name: 'Small' })).body
    const members: string[] = []
    for (const role of ['administrator', 'administrator', 'editor']) {
      const { token } = (await invite(role, key)).body
      const { body } = await ask('POST', '/team/invitations/accept/', { token, name: 'Ann' }, '')
      members.push(body.member.uuid)
    }
    const [one, two, editor] = members
    const remove = (uuid: string) => ask('DELETE', `/team/members/${uuid}/`, undefined, key)
    const answers = await Promise.all([remove(one!), remove(two!)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const [{ uuid: last }] = (await ask('GET', '/team/members/', undefined, key)).body.results
    const refused = { status: 409, body: { code: 'last_administrator' } }
    expect(await remove(last)).toMatchObject(refused)
    expect(await ask('PATCH', `/team/members/${last}/`, { role: 'viewer' }, key)).toMatchObject(refused)
    expect((await ask('PATCH', `/team/members/${last}/`, { name: 'Eve' }, key)).status).toBe(200)
    expect((await ask('PATCH', `/team/members/${editor}/`, { role: 'administrator' }, key)).status).toBe(200)
    expect((await remove(last)).status).toBe(204)
  })
})

it('another team is created by the admin key, has its own key, and sees nothing of the first', async () => {
  const made = await ask('POST', '/teams/', { name: 'Blue' })
  expect(made).toMatchObject({ status: 201, body: { uuid: expect.any(String), name: 'Blue' } })
  const { key, uuid } = made.body
  expect((await ask('GET', '/team/', undefined, key)).body).toMatchObject({ uuid, name: 'Blue' })
  expect((await ask('GET', '/projects/', undefined, key)).body.count).toBe(0)
  expect((await ask('GET', '/team/members/', undefined, key)).body.count).toBe(0)
  const { uuid: stranger } = await join('viewer')
  expect((await ask('DELETE', `/team/members/${stranger}/`, undefined, key)).status).toBe(404)
  expect((await ask('GET', '/projects/docs/sources/', undefined, key)).status).toBe(404)
  expect((await ask('POST', '/teams/', { name: 'Green' }, key)).status).toBe(403)
  expect((await invite('administrator', key)).status).toBe(201)
})
