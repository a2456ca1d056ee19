// Batches that Weaviate accepts in part: only rejected objects are written again.
import { expect, it } from 'vitest'
import type { Connection } from './connection.ts'
import { insertAll } from './tenant.ts'

const objects = Array.from({ length: 250 }, (_, at) => ({ id: String(at), properties: {} }))

/** Accepts each object at its n-th attempt. */
function createBatchWriter(triesOf: (id: string) => number, message = 'disk is full') {
  const accepted: string[] = []
  const tries = new Map<string, number>()
  const insertMany = async (batch: { id: string }[]) => {
    const errors: Record<number, { message: string }> = {}
    for (const [place, { id }] of batch.entries()) {
      const tried = (tries.get(id) ?? 0) + 1
      tries.set(id, tried)
      if (tried < triesOf(id)) errors[place] = { message }
      else accepted.push(id)
    }
    return { errors }
  }
  const client = { collections: { use: () => ({ withTenant: () => ({ data: { insertMany } }) }) } }
  const connection = { use: (work: (given: unknown) => unknown) => work(client) } as unknown as Connection
  return { insert: () => insertAll(connection, 'c', 't', objects), accepted, tries }
}

it('writes rejected objects again, and only those', async () => {
  const { insert, accepted, tries } = createBatchWriter((id) => (Number(id) % 100 === 7 ? 3 : 1))
  await insert()
  expect(accepted.toSorted()).toEqual(objects.map(({ id }) => id).toSorted())
  expect([...tries].filter(([, tried]) => tried > 1)).toEqual([
    ['7', 3],
    ['107', 3],
    ['207', 3],
  ])
})

it("fails, without Weaviate's message, if an object is never accepted", async () => {
  const { insert } = createBatchWriter((id) => (id === '7' ? Number.POSITIVE_INFINITY : 1))
  await expect(insert()).rejects.toMatchObject({
    reason: 'unavailable',
    message: 'The search index did not take 1 of 200 sections.',
  })
})

it('does not retry vectors of another dimension', async () => {
  const { insert, tries } = createBatchWriter(() => 9, 'vector lengths do not match')
  await expect(insert()).rejects.toMatchObject({ reason: 'invalid' })
  expect(Math.max(...tries.values())).toBe(1)
})
