// The text of a page is stored compressed. A text too large for a document is rejected with one sentence.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { content } from '../../../test/contract/store-case.ts'
import { DomainError } from '../../errors.ts'
import { readBody, toBody } from './text.ts'

test('returns a text unchanged, and stores it in less space', async () => {
  const long = content('ä 漢 word '.repeat(10_000))
  const packed = await toBody('https://docs.test/a', long)
  expect(packed.length).toBeLessThan(JSON.stringify(long).length / 10)
  expect(await readBody(packed)).toEqual(long)
})

test('rejects a text too large for a document, with the URL of its page', async () => {
  // Six bits per character: compression saves a quarter.
  const random = content(randomBytes(16 * 1024 * 1024).toString('base64'))
  const refusal = await toBody('https://docs.test/a', random).catch((error) => error)
  expect(refusal).toBeInstanceOf(DomainError)
  expect(refusal.reason).toBe('invalid')
  expect(refusal.message).toBe(
    'The text of https://docs.test/a is too long: packed, it takes more than 15 MiB.',
  )
})
