import { afterEach, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { openThread, type Thread } from './thread.ts'

interface Api {
  double(number: number): Promise<number>
  refuse(): Promise<never>
  die(): Promise<never>
  complain(): Promise<void>
}

let thread: Thread<Api>
afterEach(() => thread.terminate())

const entry = new URL('../../test/fixtures/served-thread.ts', import.meta.url)

test('a call is answered by the thread', async () => {
  thread = await openThread<Api>(entry, { factor: 2 })
  expect(await Promise.all([thread.api.double(3), thread.api.double(4)])).toEqual([6, 8])
})

test('an error keeps its reason and fields on the way', async () => {
  thread = await openThread<Api>(entry, { factor: 2 })
  const refused = await thread.api.refuse().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DomainError)
  expect(refused).toMatchObject({
    reason: 'not_found',
    message: 'No such page.',
    fields: { url: ['is unknown'] },
  })
})

test('calls under way, and later ones, are unavailable when the thread dies', async () => {
  thread = await openThread<Api>(entry, { factor: 2 })
  await expect(thread.api.die()).rejects.toMatchObject({ reason: 'unavailable' })
  await expect(thread.api.double(1)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(await thread.ended).toMatchObject({ message: 'the thread died' })
})

test('what the thread reports reaches its owner', async () => {
  const reported = Promise.withResolvers<unknown>()
  thread = await openThread<Api>(entry, { factor: 2 }, reported.resolve)
  await thread.api.complain()
  expect(String(await reported.promise)).toContain('background work failed')
})

test('a thread that cannot start rejects with the cause', async () => {
  await expect(openThread(entry, { factor: null })).rejects.toThrow('a factor is needed')
})
