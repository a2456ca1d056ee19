import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder } from '../../../test/folder.ts'
import { type Connection, openConnection } from './connection.ts'
import { mainSchema } from './sqlite-store.ts'

let folder: string
let other: Connection
let db: Connection
beforeEach(async () => {
  folder = createFolder()
  const file = join(folder, 'lectern.db')
  other = openConnection(file, 'create table t (n integer) strict')
  db = openConnection(file, 'create table t (n integer) strict')
})
afterEach(async () => {
  db.close()
  other.close()
})

const add = (n: number) => db.run('insert into t values (?)', [n])
const all = () => db.all<{ n: number }>('select n from t order by n').map(({ n }) => n)

test('a background write waits without blocking its thread', async () => {
  other.run('begin immediate')
  let isDone = false
  const written = db.writeInBackground(() => add(1)).then(() => (isDone = true))
  // If the thread were blocked, the other handle could not end its transaction.
  await pause(50)
  expect([isDone, all()]).toEqual([false, []])
  other.run('commit')
  await written
  expect(all()).toEqual([1])
})

test('a background write is one transaction, which its errors roll back', async () => {
  const failing = db.writeInBackground(() => {
    add(1)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(all()).toEqual([])
  await db.writeInBackground(() => add(2))
  expect(all()).toEqual([2])
})

test('rejects a write as unavailable, with a time to retry, while another handle writes', async () => {
  other.run('begin immediate')
  expect(() => add(1)).toThrow(expect.objectContaining({ reason: 'unavailable', retryAfter: 5 }))
  other.run('commit')
  add(1)
  expect(all()).toEqual([1])
})

test('rejects a file with another schema version with one sentence', async () => {
  const path = join(folder, 'other.db')
  const written = new DatabaseSync(path)
  written.exec('pragma user_version = 99')
  written.close()
  expect(() => openConnection(path, mainSchema)).toThrow(
    /^The database is at schema version 99 and this Lectern uses version \d+: start the Lectern that wrote it\.$/,
  )
})

test('several threads may create the file at once', async () => {
  const entry = `Promise.all([import(${JSON.stringify(new URL('./connection.ts', import.meta.url).href)}),
      import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)})])
    .then(([{ openConnection }, { mainSchema }]) => openConnection(${JSON.stringify(join(folder, 'new.db'))}, mainSchema).close())`
  const ended = Array.from({ length: 3 }, () => {
    const worker = new Worker(entry, { eval: true })
    return new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))
  })
  expect(await Promise.all(ended)).toEqual([0, 0, 0])
})

test('leaves an empty file if the schema fails', () => {
  const path = join(folder, 'empty.db')
  expect(() => openConnection(path, 'create table a (x); nonsense')).toThrow()
  const db = openConnection(path, 'create table b (x)')
  expect(db.all('select name from sqlite_schema')).toEqual([{ name: 'b' }])
  db.close()
})
