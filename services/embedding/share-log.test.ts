import { expect, test } from 'vitest'
import { createShareLog } from './embedding.ts'

function open() {
  const lines: string[] = []
  let seconds = 0
  const log = createShareLog(
    () => seconds * 1_000,
    (line) => lines.push(line),
  )
  return {
    lines,
    at(second: number, total: number, waiting: number) {
      seconds = second
      log(total, waiting)
    },
  }
}

test('logs each minute how many sections are embedded and the time left, and once that all are', () => {
  const { at, lines } = open()
  for (let second = 0; second <= 130; second += 2) at(second, 1_000, 1_000 - 4 * second)
  at(250, 1_000, 0)
  at(252, 1_000, 0)
  expect(lines).toEqual([
    'embedded 240 of 1000 sections, about 4 min left',
    'embedded 480 of 1000 sections, about 3 min left',
    'all 1000 sections are embedded',
  ])
})

test('logs nothing for work of less than a minute, and no estimate if the rest does not shrink', () => {
  const { at, lines } = open()
  at(0, 100, 50)
  at(30, 100, 0)
  at(100, 100, 0)
  at(200, 200, 100)
  at(260, 300, 200)
  expect(lines).toEqual(['embedded 100 of 300 sections'])
})
