// Upserts that two processes run at once. The server decides which of two inserts gets the duplicate-key error. This test
// makes it certain.
import { MongoServerError } from 'mongodb'
import { expect, test } from 'vitest'
import { upserting } from './row.ts'

const refused = (code: number) => new MongoServerError({ message: 'refused', code })

test('retries after a duplicate-key error, and finds the other insert', async () => {
  const answers = [refused(11_000), refused(11_000), 'the second of two']
  const written = await upserting(async () => {
    const next = answers.shift()
    if (next instanceof Error) throw next
    return next
  })
  expect(written).toBe('the second of two')
  expect(answers).toEqual([])
})

test('throws any other error', async () => {
  let calls = 0
  const writing = upserting(async () => {
    calls += 1
    throw refused(13)
  })
  await expect(writing).rejects.toMatchObject({ code: 13 })
  expect(calls).toBe(1)
})
