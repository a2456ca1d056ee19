import { expect, test } from 'vitest'
import { readBodies, readPages } from './answers.ts'

const encode = (answer: object) => new TextEncoder().encode(JSON.stringify(answer))

test('a page without storage format is one without text, and takes no other along', () => {
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
] as const)('the rest of a list of %s at %s is found by %s', (edition, base, link, address) => {
  const cursor = `${'c'.repeat(3_000)}&sid=1`
  const answer = { results: [], _links: { next: `${link}?cursor=${cursor}` } }
  expect(readPages(encode(answer), base, edition)?.next).toBe(`${address}?cursor=${cursor}`)
})
