import { expect, test } from 'vitest'
import { checkDomain } from './allowed-domain.ts'

const allowed = ['docs.example.com', '*.example.org']

test.each([
  ['https://docs.example.com/a?b#c', true],
  ['http://DOCS.example.com:8080/', true],
  ['https://a.example.org/', true],
  ['https://a.b.example.org/', true],
  ['https://example.org/', false],
  ['https://badexample.org/', false],
  ['https://example.com/', false],
  ['https://docs.example.com.evil.test/', false],
  ['https://docs.example.com@evil.test/', false],
  ['https://evil.test/?https://docs.example.com/', false],
  ['docs.example.com', false],
  ['javascript:docs.example.com', false],
  ['', false],
  [null, false],
])('%s: %s', (url, isAllowed) => {
  const check = () => checkDomain(allowed, url)
  if (isAllowed) check()
  else expect(check).toThrow(expect.objectContaining({ reason: 'domain_not_allowed' }))
})

test('lets every page chat if there are no allowed domains', () => {
  checkDomain([], null)
  checkDomain([], 'https://anywhere.test/')
})
