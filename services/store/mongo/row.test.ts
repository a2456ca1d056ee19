// A write that inserts what it does not find, as one of two at once makes it. Which of two is told that the other was first is up to the
// server; here it is told so.
import { MongoServerError } from 'mongodb'
import { expect, test } from 'vitest'
import { upserting } from './row.ts'

const refused = (code: number) => new MongoServerError({ message: 'refused', code })

test('who is told that another inserted first finds what that one inserted', async () => {
  const answers = [refused(11_000), refused(11_000), 'the second of two']
  const written = await upserting(async () => {
    const next = answers.shift()
    if (next instanceof Error) throw next
    return next
  })
  expect(written).toBe('the second of two')
  expect(answers).toEqual([])
})

test('any other refusal is the caller’s', async () => {
  let calls = 0
  const writing = upserting(async () => {
    calls += 1
    throw refused(13)
  })
  await expect(writing).rejects.toMatchObject({ code: 13 })
  expect(calls).toBe(1)
})
