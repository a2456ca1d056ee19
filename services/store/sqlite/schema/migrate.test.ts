// Every earlier schema version reaches the newest one, a newer one is refused, and threads may open a file at once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConnection } from '../connection.ts'
import { chatSteps, migrate, steps } from './migrate.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-schema-'))
  file = join(folder, 'lectern.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const schemaOf = (db: DatabaseSync) =>
  db.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all()

const newest = (all: readonly string[]) => {
  const db = new DatabaseSync(':memory:')
  migrate(db, all)
  return schemaOf(db)
}

const versions = [steps, chatSteps].flatMap((all, file) => all.map((_, version) => ({ file, version, all })))

test.each(versions)('file $file of version $version is brought up to date', ({ all, version }) => {
  const db = new DatabaseSync(file)
  migrate(db, all.slice(0, version))
  migrate(db, all)
  expect(schemaOf(db)).toEqual(newest(all))
  expect(db.prepare('pragma user_version').get()).toEqual({ user_version: all.length })
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('a step is applied once, after those before it, and keeps the rows', () => {
  const two = [
    'create table note (text); insert into note values (1)',
    'alter table note rename column text to body',
  ]
  const db = new DatabaseSync(file)
  migrate(db, two.slice(0, 1))
  migrate(db, two)
  migrate(db, two)
  expect(db.prepare('select body from note').all()).toEqual([{ body: 1 }])
  db.close()
})

test('a step that fails leaves the version before it', () => {
  const db = new DatabaseSync(file)
  expect(() => migrate(db, ['create table a (x)', 'create table b (x); nonsense'])).toThrow()
  expect(db.prepare('pragma user_version').get()).toEqual({ user_version: 1 })
  expect(schemaOf(db)).toHaveLength(1)
  db.close()
})

test('a database of a newer Lectern is refused in one sentence', () => {
  const db = new DatabaseSync(file)
  db.exec(`pragma user_version = ${steps.length + 1}`)
  db.close()
  expect(() => openConnection(file)).toThrow(
    `The database is at schema version ${steps.length + 1} and this Lectern knows versions up to ${steps.length}: start the newer Lectern that wrote it.`,
  )
})

test('several threads may make the file at once', async () => {
  const entry = `import(${JSON.stringify(new URL('../connection.ts', import.meta.url).href)})
    .then(({ openConnection }) => openConnection(${JSON.stringify(file)}).close())`
  const ended = Array.from({ length: 3 }, () => {
    const worker = new Worker(entry, { eval: true })
    return new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))
  })
  expect(await Promise.all(ended)).toEqual([0, 0, 0])
})
