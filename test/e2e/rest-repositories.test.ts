// Repositories as sources through REST, with the real services.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { createCredentialKeeper } from '../../services/source/credentials.ts'
import { createSourceService } from '../../services/source/source-service.ts'
import { checkHere } from '../openapi/check-here.ts'
import { idleRuns, openRestLab, type RestLab } from './rest-lab.ts'

let lab: RestLab
const base = 'projects/guide/'

beforeAll(async () => {
  lab = await openRestLab((given) => {
    const deps = { ...given, runs: idleRuns }
    const credentials = createCredentialKeeper(Buffer.alloc(32, 1))
    return {
      projects: createProjectService(deps),
      sources: createSourceService({
        ...{ ...deps, credentials, checkDescription: checkHere, testAddress: () => Promise.reject() },
        allow: readAllowList('git.intranet,10.1.0.0/16'),
      }),
    }
  })
  expect((await ask('POST', 'projects/', { name: 'Guide' })).status).toBe(201)
})
afterAll(() => lab.close())

const ask: RestLab['ask'] = (...request) => lab.ask(...request)

describe('repositories', () => {
  it.each([
    ['http://git.example/acme/guide', 400],
    ['http://10.2.0.1/guide.git', 400],
    ['http://git.intranet/guide.git', 201],
    ['http://10.1.0.1/guide.git', 201],
  ])('over http are read only from hosts in LECTERN_CRAWL_ALLOW: %s', async (url, status) => {
    const { body, ...answer } = await ask('POST', `${base}sources/`, { type: 'repository', url })
    expect(answer.status).toBe(status)
    if (status === 400)
      expect(body.fields).toEqual({
        url: ['must be an https address, or name a host of LECTERN_CRAWL_ALLOW'],
      })
  })

  it('two branches of a repository are two sources, and a token is never returned', async () => {
    const repository = {
      type: 'repository',
      url: 'https://git.example/acme/guide',
      credentials: { token: 'hunter2' },
    }
    const fields = { branch: 'v2', base_url: 'https://guide.example/', include: ['docs/**'] }
    const added = await ask('POST', `${base}sources/`, { ...repository, ...fields })
    expect([added.status, added.body]).toMatchObject([
      201,
      { ...fields, url: repository.url, last_error: null },
    ])
    expect(JSON.stringify(added.body)).not.toContain('hunter')
    expect((await ask('POST', `${base}sources/`, repository)).status).toBe(201)
    expect((await ask('POST', `${base}sources/`, { ...repository, branch: 'v2' })).body.code).toBe(
      'source_exists',
    )
    const one = `${base}sources/${added.body.uuid}/`
    expect((await ask('PATCH', one, { branch: null })).body.code).toBe('source_exists')
    expect((await ask('PATCH', one, { branch: 'v3' })).body.branch).toBe('v3')
  })

  it.each([
    [{ url: 'http://git.example/r' }, 'url'],
    [{ url: 'https://ann:hunter2@git.example/r' }, 'url'],
    [{ url: 'https://git.example/r', base_url: 'ftp://guide.example/' }, 'base_url'],
    [{ url: 'https://git.example/r', max_depth: 1 }, 'max_depth'],
    [{ url: 'https://git.example/r', include: ['['] }, 'include[0]'],
  ])('a repository %j is rejected for its %s', async (fields, field) => {
    const { status, body } = await ask('POST', `${base}sources/`, { type: 'repository', ...fields })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  })
})
