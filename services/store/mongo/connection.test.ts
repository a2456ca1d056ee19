// Invalid MongoDB addresses give the operator one line without the password. Errors of replica sets, which the server of
// the tests does not raise, mean that the store is unavailable, or refuses access.
import { type BulkWriteResult, MongoBulkWriteError, MongoClientClosedError, MongoServerError } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { AccessRefused, DomainError } from '../../errors.ts'
import { createClient, toStoreError } from './connection.ts'
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

test.each(mistakes)('the address of MongoDB %s', async (address, sentence) => {
  const error = await openMongoStore(address).then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(DomainError)
  expect(error).toMatchObject({ reason: 'invalid', message: sentence, cause: undefined })
})

test.each([
  'w=0&j=false',
  'j=false&w=1',
  'journal=false&wtimeoutMS=5',
  'readPreference=nearest&maxStalenessSeconds=120&retryWrites=false',
  'readPreference=secondary&readPreferenceTags=dc:ny&readPreferenceTags=',
  'wtimeout=5&socketTimeoutMS=5',
])('the options of an address %s does not weaken the guarantees', (query) => {
  const { options } = createClient(`mongodb://db/lectern?${query}&replicaSet=rs0`).client
  expect(options).toMatchObject({ replicaSet: 'rs0', retryWrites: true, socketTimeoutMS: 0 })
  expect(options.readPreference).toMatchObject({ mode: 'primary', tags: undefined })
  expect(options.writeConcern).toMatchObject({ w: 'majority', journal: true })
  expect(options.writeConcern?.wtimeoutMS).toBeUndefined()
})

describe('an error of a replica set', () => {
  const away = { name: 'DomainError', reason: 'unavailable', retryAfter: 5 }
  const errorOf = (code: number, ...errorLabels: string[]) =>
    new MongoServerError({ message: 'said by the server', code, errorLabels })

  test.each([
    [10_107, 'not primary'],
    [189, 'stepped down'],
    [11_602, 'interrupted by an election'],
    [43, 'a cursor closed by a restart'],
    [237, 'a cursor that was killed'],
    [133, 'no server to be read from'],
  ])('%i, %s: is unavailable, alone and in a bulk write', (code) => {
    const result = {} as BulkWriteResult
    expect(toStoreError(errorOf(code))).toMatchObject(away)
    expect(toStoreError(new MongoBulkWriteError(errorOf(code), result))).toMatchObject(away)
    expect(toStoreError(new MongoBulkWriteError({ message: 'said', code }, result))).toMatchObject(away)
  })

  test('is unavailable with a label that permits a retry', () => {
    expect(toStoreError(errorOf(462, 'SystemOverloadedError', 'RetryableError'))).toMatchObject(away)
    const fault = errorOf(2)
    expect(toStoreError(fault)).toBe(fault)
  })

  test('is unavailable if the client was closed to reconnect', () => {
    expect(toStoreError(new MongoClientClosedError())).toMatchObject(away)
  })

  test.each([13, 18, 8_000])('%i: is a refused access', (code) => {
    expect(toStoreError(errorOf(code))).toMatchObject({ ...away, cause: expect.any(AccessRefused) })
  })
})
