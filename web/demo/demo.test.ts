// The URL of the demo page, and the text of its start page.
import { expect, test } from 'vitest'
import { createAddressWriter, readPlace } from './page-address.ts'
import { describeEmbedding, describeSync } from './project.ts'

test('replaces the history entry while the reader types, and adds one after a pause', () => {
  const location = { href: 'http://l/demo/x/', search: '' }
  const made: string[] = []
  const go = (how: string) => (_state: unknown, _title: string, address?: string | URL | null) => {
    const { href, search } = new URL(String(address))
    made.push(`${how} ${search}`)
    Object.assign(location, { href, search })
  }
  let time = 0
  const history = { replaceState: go('replace'), pushState: go('push') }
  const write = createAddressWriter({ location, history, now: () => time })
  for (const [query, at] of [
    ['t', 5_000],
    ['ta', 5_200],
    ['task', 9_000],
  ] as const) {
    time = at
    write({ query, filter: '' })
  }
  write({ query: 'task', filter: 'Library' })
  expect(made).toEqual(['replace ?q=t', 'replace ?q=ta', 'push ?q=task', 'push ?q=task&filter=Library'])
})

test('supports a path prefix', () => {
  const place = { pathname: '/help/demo/my%20docs/', origin: 'https://l.example' }
  expect(readPlace(place)).toEqual({ slug: 'my docs', server: 'https://l.example/help/' })
})

test.each([
  [null, 'Nothing has been read yet. Start with: lectern sync docs'],
  [
    { status: 'running', finished_at: null },
    'The pages are being read now; what has been read can be found already.',
  ],
  [{ status: 'completed', finished_at: '2026-01-01T00:00:00.000Z' }, 'Last read 2 hours ago.'],
  [
    { status: 'failed', finished_at: '2026-01-01T01:59:50.000Z' },
    'The last sync failed just now; what was read before can be found.',
  ],
])('shows what is in the index on the start page: %j', (run, expected) => {
  expect(describeSync(run, 'docs', Date.parse('2026-01-01T02:00:00.000Z'))).toBe(expected)
})

test('says that search by meaning is being prepared while its model is downloaded', () => {
  expect(describeEmbedding({ done: 0, total: 3 })).toMatch(/^Search by meaning is being prepared/)
})

test('does not round the share of embedded sections up to all', () => {
  expect(describeEmbedding({ done: 2_928, total: 2_929 })).toMatch(/^99 % of the sections/)
})
