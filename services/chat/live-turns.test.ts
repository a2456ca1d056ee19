// How many turns may be under way in one process.
import { expect, it } from 'vitest'
import { createLiveTurns } from './live-turns.ts'

it('takes 200 turns at once, and another when one has ended', async () => {
  const turns = createLiveTurns()
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  const begin = (project: string) => turns.run(project, () => new Promise((end) => ends.push(end)), signal)
  for (let turn = 0; turn < 200; turn++) begin(`project ${turn % 10}`)
  const tooMany = { reason: 'rate_limited', retryAfter: 5 }
  expect(() => begin('another')).toThrow(expect.objectContaining(tooMany))
  expect(ends).toHaveLength(200)
  ends[0]!()
  await expect.poll(() => Boolean(begin('another'))).toBe(true)
  for (const end of ends) end()
  await turns.close()
})
