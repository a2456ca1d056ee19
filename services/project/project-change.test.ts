import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { DomainError } from '../errors.ts'
import { changeSettings, checkFilters, newSettings, writablePaths } from './project-change.ts'

const message = (init: MessageInitShape<typeof ProjectSchema>) => create(ProjectSchema, init)

function faultOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error instanceof DomainError ? { reason: error.reason, fields: error.fields } : error
  }
  return 'no error'
}

test('clears a field whose path is listed and unset', () => {
  const before = newSettings(
    message({ name: 'Docs', config: { sync: { schedule: '0 3 * * *' }, retentionDays: 7 } }),
  )
  const after = changeSettings(before, message({}), ['config.sync.schedule', 'config.retention_days'])
  expect(after.config.sync.schedule).toBeNull()
  expect(after.config.retentionDays).toBeNull()
})

test('writes all fields of a group whose path is listed', () => {
  const before = newSettings(message({ name: 'Docs', config: { mcp: { enabled: true, serverName: 'one' } } }))
  const after = changeSettings(before, message({ config: { mcp: { enabled: true } } }), ['config.mcp'])
  expect(after.config.mcp).toEqual({ enabled: true, serverName: null, metadataTag: null })
})

test('has no writable path for chat actions', () => {
  expect(writablePaths).not.toContain('config.chat.actions')
})

test('numbers filters from 1, in the order of their positions', () => {
  const filters = [
    { title: 'last', url: '/z/', position: 9 },
    { title: 'first', url: '/a/', position: 2 },
  ]
  const { config } = newSettings(message({ name: 'x', config: { search: { filters } } }))
  expect(config.search.filters).toEqual([
    { title: 'first', url: '/a/', position: 1 },
    { title: 'last', url: '/z/', position: 2 },
  ])
})

const bad: [what: string, init: MessageInitShape<typeof ProjectSchema>, field: string][] = [
  ['no name', { name: '  ' }, 'name'],
  [
    'a cron line of six fields',
    { name: 'x', config: { sync: { schedule: '0 0 3 * * *' } } },
    'config.sync.schedule',
  ],
  [
    'a cron line out of range',
    { name: 'x', config: { sync: { schedule: '99 3 * * *' } } },
    'config.sync.schedule',
  ],
  [
    'a cron line that never comes due',
    { name: 'x', config: { sync: { schedule: '0 3 30 2 *' } } },
    'config.sync.schedule',
  ],
  ...['0 3 L * *', '0 3 15W * *', '0 3 ? * *', '0 3 * * 1#2', '0 3 * * 1L', '0 3 1 * +MON'].map(
    (schedule): (typeof bad)[number] => [
      `a cron line that implementations read differently, ${schedule},`,
      { name: 'x', config: { sync: { schedule } } },
      'config.sync.schedule',
    ],
  ),
]

test.each(['*/15 * * * *', '0 22,23 1-7 * MON-fri', ' 5 3 31 jan,Dec 7 '])(
  'accepts the cron line %s',
  (schedule) => {
    const { config } = newSettings(message({ name: 'x', config: { sync: { schedule } } }))
    expect(config.sync.schedule).toBe(schedule.trim())
  },
)

test.each(bad)('rejects %s with the name of its field', (_, init, field) => {
  expect(faultOf(() => newSettings(message(init)))).toEqual({
    reason: 'invalid',
    fields: { [field]: [expect.any(String)] },
  })
})

test.each([
  ['a look-ahead', '(?=a)'],
  ['a pattern that is too large', '.{0,1000}'.repeat(90)],
])('rejects a filter with %s, with the name of its field', async (_, url) => {
  const filters = [
    { title: 'good', url: '/guide/' },
    { title: 'bad', url },
  ]
  const given = message({ name: 'x', config: { search: { filters } } })
  await expect(checkFilters(given)).rejects.toMatchObject({
    reason: 'invalid',
    fields: { 'config.search.filters[1].url': [expect.any(String)] },
  })
})
