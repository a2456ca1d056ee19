import { afterEach, beforeEach, expect, test } from 'vitest'
import { at, project, run } from '../../test/contract/store-case.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { watchRuns } from './watch-runs.ts'

let store: Store
let reported: [run: string, status: string, seconds: number | null][]
let inner: Store
beforeEach(async () => {
  inner = await openSqliteStore(':memory:')
  await inner.projects.insert(project())
  reported = []
  store = watchRuns(inner, ({ uuid, project, status, seconds }) => {
    expect(project).toBe('slug-p1')
    reported.push([uuid, status, seconds])
  })
})
afterEach(() => store.close())

const end = { status: 'completed', at: at(3), error: null } as const

test('reports a start and an end once, however often they are written', async () => {
  await store.runs.begin(run('r1'))
  expect(reported).toEqual([])
  for (let n = 0; n < 2; n++) await store.runs.start('r1', at(2))
  for (let n = 0; n < 2; n++) await store.runs.finish('r1', end)
  expect(reported).toEqual([
    ['r1', 'running', null],
    ['r1', 'completed', 60],
  ])
})

test('reports a superseded run as ended', async () => {
  await store.runs.begin(run('r1'))
  await store.runs.start('r1', at(2))
  await store.runs.begin(run('r2', { createdAt: at(4) }))
  expect(reported.at(-1)).toEqual(['r1', 'cancelled', 120])
})

test('reports the run of a deleted project as ended', async () => {
  await store.runs.begin(run('r1'))
  await store.runs.start('r1', at(2))
  for (let n = 0; n < 2; n++) await store.projects.delete('p1')
  expect(reported.at(-1)).toEqual(['r1', 'cancelled', null])
  expect(reported).toHaveLength(2)
})

test('does not fail the end of a run if the store fails after writing it', async () => {
  await store.runs.begin(run('r1'))
  inner.projects.byUuid = () => Promise.reject(new Error('away'))
  expect(await store.runs.finish('r1', end)).toBe(true)
  expect(reported).toEqual([])
})
