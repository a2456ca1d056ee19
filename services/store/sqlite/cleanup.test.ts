import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listing, project, publication, withRun } from '../../../test/contract/store-case.ts'
import { createFolder } from '../../../test/folder.ts'
import { createClearing } from '../nouns.ts'
import { createCleanup, deleteProject } from './cleanup.ts'
import { openConnection } from './connection.ts'
import { mainSchema, openSqliteStore, openTables } from './sqlite-store.ts'

test('finishes an interrupted deletion after a restart, in several steps', async () => {
  const folder = createFolder()
  const file = join(folder, 'lectern.db')
  const store = await openSqliteStore(file)
  const fence = await withRun(store)
  const paths = Array.from({ length: 250 }, (_, n) => `n${n}`)
  await store.frontier.discover(
    'r1',
    paths.map((path) => listing(path)),
  )
  await store.pages.publish(
    'p1',
    fence,
    paths.map((path) => publication(path)),
  )
  await store.projects.insert(project('p2'))
  await store.close()

  const db = openConnection(file, mainSchema)
  expect(deleteProject(db, 'p1')).toBe(true)
  await createCleanup(db, createClearing(openTables(db))).run()
  const left = (table: string) => db.get<{ n: number }>(`select count(*) as n from ${table}`)!.n
  const owned = ['page', 'page_content', 'source', 'run', 'address', 'listing']
  expect(owned.map(left)).toEqual(owned.map(() => 0))
  expect([left('removed_project'), left('swept_version'), left('project')]).toEqual([0, 0, 1])
  db.close()
})

test('continues recorded deletions when the store opens', async () => {
  const folder = createFolder()
  const file = join(folder, 'lectern.db')
  const store = await openSqliteStore(file)
  await withRun(store)
  await store.frontier.discover('r1', [listing('a')])
  await store.close()

  const db = openConnection(file, mainSchema)
  deleteProject(db, 'p1')
  const next = await openSqliteStore(file)
  const left = () => db.get<{ n: number }>('select count(*) as n from removed_project')!.n
  while (left() > 0) await new Promise(setImmediate)
  expect(db.get<{ n: number }>('select count(*) as n from address')!.n).toBe(0)
  await next.close()
  db.close()
})
