// Converts JSON to messages and back.
import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CreateKeyRequestSchema, KeySchema } from '../../gen/lectern/v1/key_pb.js'
import { ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { SourceSchema, SourceState, SourceType } from '../../gen/lectern/v1/source_pb.js'
import { SyncEventSchema } from '../../gen/lectern/v1/sync_pb.js'
import { AiMessageSchema } from '../../gen/lectern/v1/turn_pb.js'
import { Refusal } from '../errors.ts'
import { readMessage } from './read.ts'
import { type Json, writeMessage } from './write.ts'

/** Returns the errors by field. Fails without an error. */
function faultsOf(read: () => unknown): { reason: string; fields: Record<string, string[]> } {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.reason, fields: error.fields }
    throw error
  }
  throw new Error('nothing was refused')
}

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const text = fc.string({ unit: 'grapheme' })
const project = fc.record(
  {
    name: text,
    slug: text,
    is_private: fc.boolean(),
    whitelabel: fc.boolean(),
    allowed_domains: fc.array(text),
    config: fc.record(
      {
        chat: fc.record(
          { initial_message: nullable(text), suggested_questions: fc.array(text), think_mode: fc.boolean() },
          { requiredKeys: [] },
        ),
        search: fc.record({
          filters: fc.array(fc.record({ title: text, url: text, position: fc.integer({ min: 0, max: 99 }) })),
        }),
        sync: fc.record({ schedule: nullable(text) }),
        retention_days: nullable(fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

describe('read and written', () => {
  it('returns a project unchanged', () => {
    fc.assert(
      fc.property(project, (json) => {
        const { message } = readMessage(ProjectSchema, json)
        expect(writeMessage(ProjectSchema, message)).toMatchObject(json)
      }),
    )
  })

  it('masks exactly the fields of a change, groups by their fields', () => {
    fc.assert(
      fc.property(project, ({ slug: _, ...json }) => {
        const { paths } = readMessage(ProjectSchema, json, { update: true })
        expect(paths.toSorted()).toEqual(leavesOf(json, '').toSorted())
      }),
    )
  })

  it('keeps milliseconds of times, in UTC', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (time) => {
          const expires_at = time.toISOString()
          const { message } = readMessage(CreateKeyRequestSchema, { expires_at })
          expect(writeMessage(CreateKeyRequestSchema, message)).toMatchObject({ expires_at })
        },
      ),
    )
  })

  it('throws only refusals, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (json) => {
        for (const desc of [ProjectSchema, SourceSchema, CreateKeyRequestSchema]) {
          try {
            readMessage(desc, json, { update: true })
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal)
          }
        }
      }),
    )
  })
})

/** Paths of values other than settings objects, such as `config.chat.think_mode`. */
function leavesOf(json: object, base: string): string[] {
  return Object.entries(json).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value, `${base}${name}.`)
      : [base + name],
  )
}

describe('read', () => {
  it('reports every wrong field with its path', () => {
    const json = {
      nmae: 'x',
      uuid: 'x',
      name: 1,
      is_private: 'yes',
      allowed_domains: ['a.example', null, 3],
      config: {
        chat: { think_mode: null, actions: [], suggested_questions: 'how' },
        search: { filters: [{ title: 'A', url: 'a', position: 1.5, more: 1 }, 'B'] },
        prompt: [],
        retention_days: 2 ** 31,
      },
    }
    const { reason, fields } = faultsOf(() => readMessage(ProjectSchema, json))
    expect(reason).toBe('invalid')
    expect(fields).toEqual({
      nmae: ['unknown field'],
      uuid: ['read-only'],
      name: ['must be a string'],
      is_private: ['must be true or false'],
      'allowed_domains[1]': ['must be a string'],
      'allowed_domains[2]': ['must be a string'],
      'config.chat.think_mode': ['must not be null'],
      'config.chat.actions': ['read-only'],
      'config.chat.suggested_questions': ['must be a list'],
      'config.search.filters[0].position': ['must be a whole number'],
      'config.search.filters[0].more': ['unknown field'],
      'config.search.filters[1]': ['must be an object'],
      'config.prompt': ['must be an object'],
      'config.retention_days': ['must be from -2147483647 to 2147483647'],
    })
  })

  it('reports read-only fields if nothing else is wrong', () => {
    const json = { config: { chat: { actions: [] } }, created_at: null }
    expect(faultsOf(() => readMessage(ProjectSchema, json))).toEqual({
      reason: 'read_only',
      fields: { 'config.chat.actions': ['read-only'], created_at: ['read-only'] },
    })
  })

  it('accepts fields at creation that are read-only in a change', () => {
    expect(readMessage(ProjectSchema, { slug: 's' }).message).toMatchObject({ slug: 's' })
    const change = () => readMessage(ProjectSchema, { slug: 's' }, { update: true })
    expect(faultsOf(change)).toEqual({ reason: 'read_only', fields: { slug: ['read-only'] } })
  })

  it('distinguishes null from absent in a change', () => {
    const json = { max_pages: null, credentials: { token: null, email: 'a' } }
    const { message, paths } = readMessage(SourceSchema, json, { update: true })
    expect(paths).toEqual(['max_pages', 'credentials.token', 'credentials.email'])
    expect(message).toMatchObject({ credentials: { email: 'a' } })
    expect(message).not.toHaveProperty('maxPages', expect.anything())
  })

  it('reads enums only by name', () => {
    expect(readMessage(SourceSchema, { type: 'hosted_site' }).message).toMatchObject({
      type: SourceType.HOSTED_SITE,
    })
    for (const type of ['HOSTED_SITE', 'SOURCE_TYPE_URL', 'unspecified', 2, '', 'toString']) {
      const { fields } = faultsOf(() => readMessage(SourceSchema, { type }))
      expect(fields.type?.[0]).toMatch(/^must be one of url, site, sitemap,/)
    }
  })

  it('reads a bare message as its one field, and a free object unchanged', () => {
    expect(readMessage(CreateKeyRequestSchema, { projects: ['a'] }).message).toMatchObject({
      projects: { slugs: ['a'] },
    })
    const { fields } = faultsOf(() => readMessage(CreateKeyRequestSchema, { projects: [1] }))
    expect(fields).toEqual({ 'projects[0]': ['must be a string'] })
    const spec = { openapi: '3.1.0', paths: { '/a': { get: { x: [1, null, true] } } } }
    expect(readMessage(SourceSchema, { spec }).message).toMatchObject({ spec })
  })

  it('accepts only valid times', () => {
    const good = ['2026-01-31T12:00:00Z', '2024-02-29T23:59:59.123456789+05:30', '2026-01-31t12:00:00z']
    for (const expires_at of good) readMessage(CreateKeyRequestSchema, { expires_at })
    const bad = [
      '2026-02-29T00:00:00Z',
      '2026-01-31',
      '2026-01-31T12:00:00',
      '2026-13-01T00:00:00Z',
      'soon',
      5,
    ]
    for (const expires_at of bad) {
      const { fields } = faultsOf(() => readMessage(CreateKeyRequestSchema, { expires_at }))
      expect(fields).toEqual({ expires_at: ['must be a time such as 2026-01-31T12:00:00Z'] })
    }
  })

  it('rejects half a surrogate pair', () => {
    const broken = JSON.parse('"\\ud800"') as string
    const { fields } = faultsOf(() => readMessage(SourceSchema, { name: broken, spec: { a: [broken] } }))
    expect(fields).toEqual({ name: ['must be valid Unicode'], spec: ['must be valid Unicode'] })
  })

  it('reads no names from the prototype of objects', () => {
    const json = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as Json
    const { fields } = faultsOf(() => readMessage(ProjectSchema, json))
    expect(Object.keys(fields)).toEqual(['__proto__', 'constructor', 'toString'])
  })

  it('reports at most twenty errors', () => {
    const json = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field${at}`, at]))
    const { fields } = faultsOf(() => readMessage(ProjectSchema, json))
    expect(Object.keys(fields)).toEqual(Object.keys(json).slice(0, 20))
  })

  it.each([[null], [[]], ['x'], [1], [true]])('rejects %j as a body', (json) => {
    expect(faultsOf(() => readMessage(ProjectSchema, json)).reason).toBe('invalid')
  })
})

describe('written', () => {
  it('a source shows the fields of its type, null where absent, and no credentials', () => {
    const source = create(SourceSchema, {
      uuid: 'u',
      name: 'Docs',
      type: SourceType.SITE,
      url: 'https://d.example/',
      createdAt: timestampFromDate(new Date('2026-01-31T12:00:00.050Z')),
      credentials: { token: 'secret' },
      state: SourceState.PENDING,
    })
    expect(writeMessage(SourceSchema, source)).toEqual({
      uuid: 'u',
      name: 'Docs',
      type: 'site',
      url: 'https://d.example/',
      created_at: '2026-01-31T12:00:00.050Z',
      last_crawled_at: null,
      last_error: null,
      state: 'pending',
      page_count: 0,
      include: [],
      exclude: [],
      max_pages: null,
      max_depth: null,
      max_connections: null,
      delay_ms: null,
    })
  })

  it('has every field of an event, with enums in lower case', () => {
    expect(
      writeMessage(SyncEventSchema, create(SyncEventSchema, { sequence: 1, level: 2, type: 8 })),
    ).toEqual({
      sequence: 1,
      at: null,
      level: 'warning',
      type: 'removals_held',
      url: null,
      source_uuid: null,
      reason: null,
      message: '',
    })
  })

  it('writes a nullable list as a list or null', () => {
    expect(writeMessage(KeySchema, create(KeySchema, {}))).toMatchObject({ projects: null })
    const key = create(KeySchema, { projects: { slugs: ['a'] } })
    expect(writeMessage(KeySchema, key)).toMatchObject({ projects: ['a'] })
  })

  it('keeps the camelCase of chat frames', () => {
    const frame = create(AiMessageSchema, { messageId: 'm', isPartial: false, stopReason: 7 })
    expect(writeMessage(AiMessageSchema, frame)).toMatchObject({ messageId: 'm', stopReason: 'rate_limited' })
  })
})
