// Limits on turns that run in one process.
import { expect, it } from 'vitest'
import { createLiveTurns } from './live-turns.ts'

it('runs 200 turns at once, and another when one has ended', async () => {
  const turns = createLiveTurns()
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  const begin = (project: string) =>
    turns.run({ project, network: null }, () => new Promise((end) => ends.push(end)), signal)
  for (let turn = 0; turn < 200; turn++) begin(`project ${turn % 10}`)
  const tooMany = { reason: 'rate_limited', retryAfter: 5 }
  expect(() => begin('another')).toThrow(expect.objectContaining(tooMany))
  expect(ends).toHaveLength(200)
  ends[0]!()
  await expect.poll(() => Boolean(begin('another'))).toBe(true)
  for (const end of ends) end()
  await turns.close()
})

it('reserves a fifth of the capacity of a project and of the process for callers with a key', async () => {
  const turns = createLiveTurns()
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  let networks = 0
  const begin = (project: string, network: string | null = `network ${networks++}`) =>
    turns.run({ project, network }, () => new Promise((end) => ends.push(end)), signal)
  const tooMany = expect.objectContaining({ reason: 'rate_limited' })
  for (let turn = 0; turn < 16; turn++) begin('one')
  expect(() => begin('one')).toThrow(tooMany)
  for (let turn = 0; turn < 4; turn++) begin('one', null)
  expect(() => begin('one', null)).toThrow(tooMany)
  for (let turn = 16; turn < 160; turn++) begin(`project ${turn % 10}`)
  expect(() => begin('another')).toThrow(tooMany)
  for (let turn = 164; turn < 200; turn++) begin(`another ${turn % 10}`, null)
  expect(() => begin('another', null)).toThrow(tooMany)
  for (const end of ends) end()
  await turns.close()
})

it('runs 8 turns at once for a network without a key, whatever the project', async () => {
  const turns = createLiveTurns()
  const { signal } = new AbortController()
  const ends: (() => void)[] = []
  const begin = (project: string, network: string) =>
    turns.run({ project, network }, () => new Promise((end) => ends.push(end)), signal)
  for (let turn = 0; turn < 8; turn++) begin(`project ${turn}`, 'one')
  expect(() => begin('another', 'one')).toThrow(
    expect.objectContaining({ reason: 'rate_limited', retryAfter: 5 }),
  )
  begin('another', 'two')
  ends[0]!()
  await expect.poll(() => Boolean(begin('another', 'one'))).toBe(true)
  for (const end of ends) end()
  await turns.close()
})
