import { expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { createUrlFilters, maxWork } from './search.ts'

const filters = createUrlFilters()
const byDomain = (pattern: string) => filters.of({ field: 'domain_filter', pattern })

test('a pattern is found anywhere in an address, whatever its case', () => {
  const admits = byDomain('/SORT.*\\.html$')
  expect(['https://d.example/sorting.html', 'https://d.example/sorting.htm'].map(admits)).toEqual([
    true,
    false,
  ])
  expect(filters.of(null)('https://d.example/')).toBe(true)
})

test.each([
  ['what is no pattern', '(', /RE2 syntax/],
  ['a pattern too large', '.{0,1000}'.repeat(90), /1000 instructions/],
])('%s is refused by the field that asks for it', (_, pattern, problem) => {
  for (const field of ['domain_filter', 'filter_title']) {
    const ask = () => filters.of({ field, pattern })
    expect(ask).toThrow(DomainError)
    expect(ask).toThrow(expect.objectContaining({ fields: { [field]: [expect.stringMatching(problem)] } }))
  }
})

test('one search judges no more addresses than its work allows, the best first', () => {
  const admits = byDomain('(?:x?){300}y')
  const address = (number: number) => `https://d.example/${'x'.repeat(3_000)}y/${number}`
  const judged = Array.from({ length: 1_000 }, (_, number) => admits(address(number)))
  const count = judged.filter(Boolean).length
  expect(count).toBeGreaterThan(0)
  expect(judged.slice(0, count)).not.toContain(false)
  expect(count * 300 * 3_000).toBeLessThan(maxWork)
  // An address that was judged is remembered; the next search begins anew.
  expect(admits(address(0))).toBe(true)
  expect(byDomain('(?:x?){300}y')(address(999))).toBe(true)
})

test('an ordinary pattern judges a thousand long addresses', () => {
  const admits = byDomain('^https://d\\.example/(?:en|de)/guide/')
  const judged = Array.from({ length: 1_000 }, (_, number) =>
    admits(`https://d.example/en/guide/${'x'.repeat(180)}${number}`),
  )
  expect(judged).not.toContain(false)
})
