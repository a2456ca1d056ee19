// Addresses of MongoDB that cannot be read: one line for the operator, without the password.
import { describe, expect, test } from 'vitest'
import { DomainError } from '../../errors.ts'
import { openMongoStore } from './mongo-store.ts'

const form =
  'The MongoDB address takes the form mongodb://name:password@host:port/database?options, with : / ? # [ ] @ in name and password percent-encoded.'

const mistakes: [address: string, sentence: string][] = [
  ['mongodb://', form],
  ['mongodb://ann:hunter2', form],
  ['http://ann:hunter2@db/lectern', form],
  ['mongodb://ann:hun@ter2@db/lectern', form],
  ['mongodb://ann:hun/ter2@db/lectern', form],
  ['mongodb://ann:hunter2@db:99999/lectern', form],
  ['mongodb://ann:hunter2@db/lectern?w=', form],
  ['mongodb://ann:hunter2@db/lectern?tls=perhaps', form],
  ['mongodb://ann:hunter2@db/lectern?pool=2', 'The MongoDB address has an option that does not exist: pool.'],
  [
    'mongodb://ann:hunter2@db/lectern?pool=2&fast=1',
    'The MongoDB address has an option that does not exist: pool, fast.',
  ],
  [
    'mongodb://ann:hunter2@db/my.lectern',
    'The MongoDB address names a database with a character that MongoDB does not take.',
  ],
]

describe('the address of MongoDB', () => {
  test.each(mistakes)('%s', async (address, sentence) => {
    const error = await openMongoStore(address).then(
      () => null,
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(DomainError)
    expect(error).toMatchObject({ reason: 'invalid', message: sentence, cause: undefined })
  })
})
