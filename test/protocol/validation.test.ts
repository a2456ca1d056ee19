// The contract's rules as callers see them: which field is invalid, by its path in REST.
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { KeyService } from '../../gen/lectern/v1/key_pb.js'
import { ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { type ContentScope, type SearchRequestSchema, SearchService } from '../../gen/lectern/v1/search_pb.js'
import { SourceService, SourceType } from '../../gen/lectern/v1/source_pb.js'
import { createValidate } from '../../services/guard/validate.ts'
import { adminKey, inMemory } from './core.ts'

const headers = { authorization: `Api-Key ${adminKey}` }
const slug = 'red-public'

const sources = createClient(SourceService, inMemory)
const projects = createClient(ProjectService, inMemory)

/** The reason and the fields of the error; null if the call succeeded. */
async function refusal(call: Promise<unknown>) {
  try {
    await call
    return null
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    const [detail] = error.findDetails(ErrorDetailSchema)
    expect(error.code).toBe(Code.InvalidArgument)
    const fields = Object.entries(detail!.fields).map(([path, { messages }]) => [path, messages.join()])
    return { reason: detail!.reason, fields: Object.fromEntries(fields), sentence: error.rawMessage }
  }
}

describe('search', () => {
  const search = createClient(SearchService, inMemory)
  const given = { slug, q: 'x' }
  it.each<[string, MessageInitShape<typeof SearchRequestSchema>, object | null]>([
    ['a plain query', given, null],
    ['no query', { slug }, { q: 'is required' }],
    ['500 characters', { slug, q: 'é'.repeat(500) }, null],
    ['501 characters', { slug, q: 'é'.repeat(501) }, { q: 'must be at most 500 characters' }],
    ['limit 0', { ...given, limit: 0 }, { limit: 'must be greater than or equal to 1' }],
    ['limit 1000', { ...given, limit: 1000 }, null],
    [
      'an unknown scope',
      { ...given, contentScope: 9 as ContentScope },
      { content_scope: 'must be one of the defined enum values' },
    ],
  ])('%s', async (_, request, fields) => {
    const refused = await refusal(search.search(request))
    expect(refused?.fields ?? null).toEqual(fields)
  })

  it('names every invalid field, and the first in the sentence', async () => {
    const refused = await refusal(search.search({ slug, limit: -1 }))
    expect(refused).toMatchObject({ reason: 'invalid', sentence: 'q is required.' })
    expect(Object.keys(refused!.fields)).toEqual(['q', 'limit'])
  })
})

describe('sources', () => {
  type Given = NonNullable<Parameters<Client<typeof SourceService>['createSource']>[0]['source']>
  const site = { type: SourceType.SITE, url: 'https://docs.example.com/' } as const
  it.each<[string, Given | undefined, Record<string, string> | null]>([
    ['a site', site, null],
    ['nothing', undefined, { source: 'is required' }],
    ['no type', {}, { type: 'is required: url, site, sitemap, repository, openapi or confluence' }],
    ['no url', { type: SourceType.URL }, { url: 'is required' }],
    ['a file', { type: SourceType.FILE }, { type: expect.stringContaining('uploaded') as never }],
    ['an ftp address', { ...site, url: 'ftp://x.y/' }, { url: 'must be an http or https address' }],
    ['a sitemap', { type: SourceType.SITEMAP, url: 'https://x.y/sitemap.xml.gz' }, null],
    [
      'no sitemap',
      { type: SourceType.SITEMAP, url: 'https://x.y/a' },
      { url: 'must end in .xml or .xml.gz' },
    ],
    ['max_pages 0', { ...site, maxPages: 0 }, { max_pages: 'must be greater than or equal to 1' }],
    [
      'max_depth of a url',
      { type: SourceType.URL, url: 'https://x.y/', maxDepth: 1 },
      { max_depth: 'is not a field of type url' },
    ],
    ['an empty glob', { ...site, include: ['**', ''] }, { 'include[1]': 'is required' }],
    [
      'spec and url',
      { type: SourceType.OPENAPI, url: 'https://x.y/', spec: {} },
      { spec: 'must be given, or else url, and not both' },
    ],
    ['no space key', { type: SourceType.CONFLUENCE, url: 'https://x.y/' }, { space_key: 'is required' }],
  ])('%s', async (_, source, fields) => {
    const refused = await refusal(sources.createSource({ slug, ...(source && { source }) }, { headers }))
    expect(refused?.fields ?? null).toEqual(fields)
  })
})

describe('a project’s settings', () => {
  it.each([
    [
      'config.search.filters[0].url',
      'must not contain & or #',
      { search: { filters: [{ title: 'a', url: 'a&b' }] } },
    ],
    ['config.prompt.version', 'must be one of v1, v2, v3', { prompt: { version: 'v9' } }],
    ['config.retention_days', 'must be greater than or equal to 1', { retentionDays: 0 }],
  ])('%s', async (path, phrase, config) => {
    const refused = await refusal(projects.updateProject({ slug, project: { config } }, { headers }))
    expect(refused?.fields).toEqual({ [path]: phrase })
  })

  it.each([
    [['name', 'config.sync.schedule', 'config.chat'], null, {}],
    [['config.colour'], 'invalid', { 'config.colour': 'unknown field' }],
    [['name.first'], 'invalid', { 'name.first': 'unknown field' }],
    [
      ['config.chat.actions', 'uuid', 'last_sync.status'],
      'read_only',
      { 'config.chat.actions': 'read-only', uuid: 'read-only', 'last_sync.status': 'read-only' },
    ],
    [['slug'], 'read_only', { slug: 'read-only' }],
  ])('the mask %j', async (paths, reason, fields) => {
    const refused = await refusal(
      projects.updateProject({ slug, project: {}, updateMask: { paths } }, { headers }),
    )
    expect(refused?.reason ?? null).toBe(reason)
    expect(refused?.fields ?? {}).toEqual(fields)
  })
})

it('lists and deletes chats only within a project', async () => {
  const chats = createClient(ChatService, inMemory)
  for (const call of [
    chats.listChats({}, { headers }),
    chats.deleteChat({ chatUuid: 'c' }, { headers }),
    chats.deleteChatsByEmail({ email: 'ann@docs.test' }, { headers }),
  ])
    expect(await refusal(call)).toMatchObject({ sentence: 'slug is required.' })
})

it('accepts any number of retention days from 1', async () => {
  const project = { config: { retentionDays: 2 ** 31 - 1 } }
  expect(await refusal(projects.updateProject({ slug, project }, { headers }))).toBeNull()
})

it.each([
  ['permissions', { permissions: [] }],
  // A list that can be null is reported without the message that contains it.
  ['projects', { permissions: ['search'], projects: { slugs: [] } }],
])('rejects empty %s of a key', async (name, given) => {
  const keys = createClient(KeyService, inMemory)
  const refused = await refusal(keys.createKey({ name: 'n', ...given }, { headers }))
  expect(refused).toMatchObject({
    sentence: `${name} must name at least one.`,
    fields: { [name]: 'must name at least one' },
  })
})

it('compiles the rules of every request of the contract', async () => {
  const validate = createValidate()
  const { services } = await import('../../services/routes.ts')
  for (const method of services.flatMap((service) => service.methods)) {
    if (method.methodKind !== 'unary') continue
    const message = create(method.input)
    try {
      validate(method, message)
    } catch (error) {
      expect((error as Error).name, `${method.name}: ${error}`).toBe('DomainError')
    }
  }
})
