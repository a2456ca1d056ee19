import { expect, test } from 'vitest'
import { readBodies, readPages } from './answers.ts'
import { cloud, dataCenter, toBase, toEdition } from './client.ts'
import { confluenceType } from './confluence-type.ts'

test.each([
  ['https://acme.atlassian.net', 'https://acme.atlassian.net/wiki'],
  ['https://acme.atlassian.net/wiki/spaces/DOC/overview', 'https://acme.atlassian.net/wiki'],
  ['https://wiki.example/', 'https://wiki.example'],
  ['https://wiki.example/confluence/', 'https://wiki.example/confluence'],
  ['https://wiki.example/confluence/display/DOC/Start', 'https://wiki.example/confluence'],
  ['https://wiki.example:8090/spaces/DOC', 'https://wiki.example:8090'],
  ['https://wiki.example/pages/viewpage.action?pageId=1', 'https://wiki.example'],
  ['https://wiki.example/dashboard.action', 'https://wiki.example'],
])('%s belongs to the server at %s', (url, base) => {
  expect(toBase(url)).toBe(base)
})

test('detects Cloud by its host, and Data Center by a token without an e-mail address', () => {
  const token = 'x'
  const email = 'ann@docs.test'
  expect(toEdition('https://acme.atlassian.net/wiki', null)).toBe(cloud)
  expect(toEdition('https://acme.atlassian.net/wiki', { token })).toBe(cloud)
  expect(toEdition('https://atlassian.net.evil.test/', { token })).toBe(dataCenter)
  expect(toEdition('https://wiki.example/', { token })).toBe(dataCenter)
  expect(toEdition('https://wiki.example/', { token, email })).toBe(cloud)
  expect(toEdition('https://wiki.example/', null)).toBe(dataCenter)
})

test('identifies a space as one source, whichever URL of its server names it', () => {
  const identity = (url: string, spaceKey: string) =>
    confluenceType.identity?.({ url, options: { spaceKey } })
  const known = identity('https://acme.atlassian.net', 'DOC')
  expect(identity('https://acme.atlassian.net/wiki/spaces/DOC/overview', 'DOC')).toBe(known)
  expect(identity('https://acme.atlassian.net', 'OPS')).not.toBe(known)
})

const encode = (answer: object) => new TextEncoder().encode(JSON.stringify(answer))

test('reads a page without storage format as one without text, and the others', () => {
  const answer = {
    results: [
      { id: 1, body: {} },
      { id: '2', body: { storage: { value: '<p>b</p>' } } },
    ],
  }
  expect(readBodies(encode(answer))).toEqual(
    new Map([
      ['1', ''],
      ['2', '<p>b</p>'],
    ]),
  )
})

test.each([
  ['cloud', 'https://a.test/wiki', '/wiki/api/v2/x', 'https://a.test/wiki/api/v2/x'],
  ['data-center', 'https://a.test', '/rest/api/x', 'https://a.test/rest/api/x'],
  ['data-center', 'https://a.test/docs', '/rest/api/x', 'https://a.test/docs/rest/api/x'],
  ['data-center', 'https://a.test/docs', '/docs/rest/api/x', 'https://a.test/docs/rest/api/x'],
  ['data-center', 'https://a.test/docs', 'https://b.test/x', 'https://b.test/x'],
] as const)('finds the rest of a list of %s at %s by %s', (edition, base, link, address) => {
  const cursor = `${'c'.repeat(3_000)}&sid=1`
  const answer = { results: [], _links: { next: `${link}?cursor=${cursor}` } }
  expect(readPages(encode(answer), base, edition)?.next).toBe(`${address}?cursor=${cursor}`)
})
