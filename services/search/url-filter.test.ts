import { expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { createUrlFilter, maxWork } from './search.ts'

const byDomain = (pattern: string) => createUrlFilter({ field: 'domain_filter', pattern })

test('matches a pattern anywhere in a URL, ignoring case', () => {
  const admits = byDomain('/SORT.*\\.html$')
  expect(['https://d.example/sorting.html', 'https://d.example/sorting.htm'].map(admits)).toEqual([
    true,
    false,
  ])
  expect(createUrlFilter(null)('https://d.example/')).toBe(true)
})

test.each([
  ['an invalid pattern', '(', /RE2 syntax/],
  ['a pattern that is too large', '.{0,1000}'.repeat(90), /1000 instructions/],
])('rejects %s with the name of its field', (_, pattern, problem) => {
  for (const field of ['domain_filter', 'filter_title']) {
    const ask = () => createUrlFilter({ field, pattern })
    expect(ask).toThrow(DomainError)
    expect(ask).toThrow(expect.objectContaining({ fields: { [field]: [expect.stringMatching(problem)] } }))
  }
})

test('limits the work of one search, with the best URLs first', () => {
  const admits = byDomain('(?:x?){300}y')
  const address = (number: number) => `https://d.example/${'x'.repeat(3_000)}y/${number}`
  const judged = Array.from({ length: 1_000 }, (_, number) => admits(address(number)))
  const count = judged.filter(Boolean).length
  expect(count).toBeGreaterThan(0)
  expect(judged.slice(0, count)).not.toContain(false)
  expect(count * 300 * 3_000).toBeLessThan(maxWork)
  // A checked URL is remembered, and the next search starts with its full limit.
  expect(admits(address(0))).toBe(true)
  expect(byDomain('(?:x?){300}y')(address(999))).toBe(true)
})

test('checks a thousand long URLs with an ordinary pattern', () => {
  const admits = byDomain('^https://d\\.example/(?:en|de)/guide/')
  const judged = Array.from({ length: 1_000 }, (_, number) =>
    admits(`https://d.example/en/guide/${'x'.repeat(180)}${number}`),
  )
  expect(judged).not.toContain(false)
})
