import { expect, test } from 'vitest'
import { confluenceType } from './confluence-type.ts'
import { cloud, dataCenter, editionOf, toBase } from './editions.ts'

test.each([
  ['https://acme.atlassian.net', 'https://acme.atlassian.net/wiki'],
  ['https://acme.atlassian.net/wiki/spaces/DOC/overview', 'https://acme.atlassian.net/wiki'],
  ['https://wiki.example/', 'https://wiki.example'],
  ['https://wiki.example/confluence/', 'https://wiki.example/confluence'],
  ['https://wiki.example/confluence/display/DOC/Start', 'https://wiki.example/confluence'],
  ['https://wiki.example:8090/spaces/DOC', 'https://wiki.example:8090'],
  ['https://wiki.example/pages/viewpage.action?pageId=1', 'https://wiki.example'],
  ['https://wiki.example/dashboard.action', 'https://wiki.example'],
])('%s is in the server at %s', (url, base) => {
  expect(toBase(url)).toBe(base)
})

test('Cloud is known by its host, Data Center by a token without an e-mail address', () => {
  const token = 'x'
  const email = 'ann@docs.test'
  expect(editionOf('https://acme.atlassian.net/wiki', null)).toBe(cloud)
  expect(editionOf('https://acme.atlassian.net/wiki', { token })).toBe(cloud)
  expect(editionOf('https://atlassian.net.evil.test/', { token })).toBe(dataCenter)
  expect(editionOf('https://wiki.example/', { token })).toBe(dataCenter)
  expect(editionOf('https://wiki.example/', { token, email })).toBeNull()
  expect(editionOf('https://wiki.example/', null)).toBeNull()
})

test('a space is one source, by whatever address of its server it is named', () => {
  const identity = (url: string, spaceKey: string) =>
    confluenceType.identity?.({ url, options: { spaceKey } })
  const known = identity('https://acme.atlassian.net', 'DOC')
  expect(identity('https://acme.atlassian.net/wiki/spaces/DOC/overview', 'DOC')).toBe(known)
  expect(identity('https://acme.atlassian.net', 'OPS')).not.toBe(known)
})
