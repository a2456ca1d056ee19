// One project under every attack at once: another one's readers are answered all the while, and its sync completes. How
// quickly is for the benchmark `neighbours`.
import { expect, test } from 'vitest'
import { besiege } from '../bench/neighbours/siege.ts'

test('a project under attack stops neither the searches nor the sync of another', async () => {
  const { before, during, neighbour, attacked } = await besiege(async () => 0)
  expect(before.refused).toEqual({})
  const refused = Object.values(during.refused).reduce((sum, count) => sum + count, 0)
  expect(during.searches.length - refused).toBeGreaterThan(10)
  expect(neighbour).toMatchObject({ status: 'completed', pages: { unchanged: 61, failed: 0, pending: 0 } })
  expect(attacked.status).toBe('completed')
}, 600_000)
