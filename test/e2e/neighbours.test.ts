// One project under every attack at once: another one's readers are answered all the while, and its sync completes.
import { expect, test } from 'vitest'
import { besiege } from '../bench/neighbours/siege.ts'

test('a project under attack stops neither the searches nor the sync of another', async () => {
  const { before, during, neighbour, attacked } = await besiege(async () => 0)
  expect(before.refused).toEqual({})
  expect(during.refused).toEqual({})
  expect(during.searches.length).toBeGreaterThan(0)
  expect(neighbour).toMatchObject({ status: 'completed', pages: { unchanged: 61, failed: 0, pending: 0 } })
  expect(attacked.status).toBe('completed')
}, 600_000)
