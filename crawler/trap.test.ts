import { expect, test } from 'vitest'
import { createTrapDetector } from './trap.ts'

const base = 'https://d.example'

test.each([
  '/a/a/a',
  '/docs/x/y/x/y/x/y/z',
  `/${Array.from({ length: 26 }, (_, at) => at).join('/')}`,
  '/search?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9',
  '/page?session_id=123',
  '/app/(S(lit3py55t21z5v55vlm25s55))/page',
])('%s is a trap', (path) => {
  expect(createTrapDetector().isTrap(base + path, 1)).toBe(true)
})

test.each([
  '/',
  '/a/a',
  '/api/v1/api/v1/x',
  '/asyncio/asyncio/task',
  '/docs/3.12/library/asyncio-task.html?highlight=create_task',
  '/blog/2024/01/31/release',
  '/en/latest/a/b/c/d/e/f/g/h/i/j',
])('%s is not a trap', (path) => {
  expect(createTrapDetector().isTrap(base + path, 3)).toBe(false)
})

test('treats links of great depth as a trap', () => {
  expect(createTrapDetector().isTrap(`${base}/x`, 101)).toBe(true)
})

test('permits 500 query strings per path, the first ones', () => {
  const traps = createTrapDetector()
  const asked = Array.from({ length: 600 }, (_, at) => traps.isTrap(`${base}/list?filter=${at}`, 1))
  expect(asked.filter(Boolean)).toHaveLength(100)
  expect(asked.indexOf(true)).toBe(500)
  expect(traps.isTrap(`${base}/list?filter=0`, 1)).toBe(false)
  expect(traps.isTrap(`${base}/list?filter=999`, 1)).toBe(true)
  expect(traps.isTrap(`${base}/list`, 1)).toBe(false)
  expect(traps.isTrap(`${base}/other?filter=0`, 1)).toBe(false)
})

test('a site is barren if it lists thousands of addresses that are no pages, and more than ten per page', () => {
  const traps = createTrapDetector()
  const note = (times: number, isPage: boolean) => {
    for (let at = 0; at < times; at++) traps.note(isPage)
  }
  note(5_000, false)
  expect(traps.isBarren()).toBe(false)
  note(1, false)
  expect(traps.isBarren()).toBe(true)
  note(500, true)
  expect(traps.isBarren()).toBe(true)
  note(1, true)
  expect(traps.isBarren()).toBe(false)
  note(9, false)
  expect(traps.isBarren()).toBe(false)
  note(1, false)
  expect(traps.isBarren()).toBe(true)
})

test('ends a calendar', () => {
  const traps = createTrapDetector()
  const months = Array.from(
    { length: 1_200 },
    (_, at) => `${base}/calendar/${2000 + Math.floor(at / 12)}/${(at % 12) + 1}`,
  )
  const asked = months.map((url) => traps.isTrap(url, 1))
  expect(asked.indexOf(true)).toBe(600)
  expect(asked.lastIndexOf(false)).toBe(599)
})
