import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connection, openConnection } from './connection.ts'

let folder: string
let other: Connection
let db: Connection
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-connection-'))
  const file = join(folder, 'lectern.db')
  other = openConnection(file, ['create table t (n integer) strict'])
  db = openConnection(file, ['create table t (n integer) strict'])
})
afterEach(async () => {
  db.close()
  other.close()
  await rm(folder, { recursive: true })
})

const add = (n: number) => db.run('insert into t values (?)', n)
const all = () => db.all<{ n: number }>('select n from t order by n').map(({ n }) => n)

test('a patient write waits without holding up its thread', async () => {
  other.run('begin immediate')
  let isDone = false
  const written = db.writeInBackground(() => add(1)).then(() => (isDone = true))
  // Were the thread held up, the other handle could not end its transaction.
  await pause(50)
  expect([isDone, all()]).toEqual([false, []])
  other.run('commit')
  await written
  expect(all()).toEqual([1])
})

test('a patient write is one transaction, and its own errors end it', async () => {
  const failing = db.writeInBackground(() => {
    add(1)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(all()).toEqual([])
  await db.writeInBackground(() => add(2))
  expect(all()).toEqual([2])
})

test('what cannot be written while another handle writes is to be tried again', async () => {
  other.run('begin immediate')
  expect(() => add(1)).toThrow(expect.objectContaining({ reason: 'unavailable', retryAfter: 5 }))
  other.run('commit')
  add(1)
  expect(all()).toEqual([1])
})
