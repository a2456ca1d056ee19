// When stored counts are used, and when the rows are counted.
import { expect, onTestFinished, test } from 'vitest'
import { Conflict } from '../errors.ts'
import { createDayCounts, toDayTables } from './analytics.ts'
import { openConnection } from './sqlite/connection.ts'
import { createSharedRows, createTable } from './sqlite/table.ts'

const day = '2026-01-02'
const now = `${day}T10:00:00.000Z`

/** `keys` are the rows; a change that is not announced shows whether they are counted. */
function openCounts() {
  const { days, tallies } = toDayTables('test')
  const tables = { days: createTable(days), tallies: createTable(tallies) }
  const db = openConnection(':memory:', tables.days.sql + tables.tallies.sql)
  onTestFinished(() => db.close())
  const keys: string[] = ['a']
  const rows = { days: createSharedRows(db, tables.days), tallies: createSharedRows(db, tables.tallies) }
  const { recount, ...counts } = createDayCounts<'row'>({ ...rows, isOpen: () => true }, async function* () {
    yield keys.map((key) => ['row', key])
  })
  const count = async () => (await counts.keys('p1', { from: day, to: day }, 'row', 9)).unique
  return { keys, recount, count }
}

test('counts the rows once, and again after a change', async () => {
  const { keys, recount, count } = openCounts()
  expect(await count()).toBe(1)
  keys.push('b')
  expect(await count()).toBe(1)
  await recount('p1', [now], async () => keys.push('c'))
  expect(await count()).toBe(3)
  keys.push('d')
  expect(await count()).toBe(3)
})

test('counts the rows while a change has not ended', async () => {
  const { keys, recount, count } = openCounts()
  const gate = Promise.withResolvers<void>()
  const changing = recount('p1', [now], () => gate.promise)
  expect(await count()).toBe(1)
  keys.push('b')
  expect(await count()).toBe(2)
  gate.resolve()
  await changing
  keys.push('c')
  expect(await count()).toBe(3)
})

test.each([
  ['counts the rows after a change that may still take effect', new Error('lost'), 2],
  ['stores the counts after a change that was refused', new Conflict('position'), 1],
])('%s', async (_, error, expected) => {
  const { keys, recount, count } = openCounts()
  await expect(recount('p1', [now], () => Promise.reject(error))).rejects.toBe(error)
  expect(await count()).toBe(1)
  keys.push('b')
  expect(await count()).toBe(expected)
})
