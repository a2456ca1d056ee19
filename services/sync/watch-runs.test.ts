import { afterEach, beforeEach, expect, test } from 'vitest'
import { at, project, run } from '../../test/contract/store-case.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { watchRuns } from './watch-runs.ts'

let store: Store
let told: [run: string, status: string, seconds: number | null][]
let inner: Store
beforeEach(async () => {
  inner = await openSqliteStore(':memory:')
  await inner.projects.insert(project())
  told = []
  store = watchRuns(inner, ({ uuid, project, status, seconds }) => {
    expect(project).toBe('slug-p1')
    told.push([uuid, status, seconds])
  })
})
afterEach(() => store.close())

const end = { status: 'completed', at: at(3), error: null } as const

test('a start and an end are told once, however often they are written', async () => {
  await store.runs.begin(run('r1'))
  expect(told).toEqual([])
  for (let n = 0; n < 2; n++) await store.runs.start('r1', at(2))
  for (let n = 0; n < 2; n++) await store.runs.finish('r1', end)
  expect(told).toEqual([
    ['r1', 'running', null],
    ['r1', 'completed', 60],
  ])
})

test('a run that a newer one takes the place of has ended', async () => {
  await store.runs.begin(run('r1'))
  await store.runs.start('r1', at(2))
  await store.runs.begin(run('r2', { createdAt: at(4) }))
  expect(told.at(-1)).toEqual(['r1', 'cancelled', 120])
})

test('the run of a project that is deleted has ended', async () => {
  await store.runs.begin(run('r1'))
  await store.runs.start('r1', at(2))
  for (let n = 0; n < 2; n++) await store.projects.delete('p1')
  expect(told.at(-1)).toEqual(['r1', 'cancelled', null])
  expect(told).toHaveLength(2)
})

test('a store that does not answer any more does not fail the end that it has written', async () => {
  await store.runs.begin(run('r1'))
  inner.projects.byUuid = () => Promise.reject(new Error('away'))
  expect(await store.runs.finish('r1', end)).toBe(true)
  expect(told).toEqual([])
})
