import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { writeMessage } from '../gateway/json/write.ts'
import { RunStatus, WatchSyncResponseSchema } from '../gen/lectern/v1/sync_pb.js'
import type { JsonObject } from './client.ts'
import { followEmbedding, followSync } from './progress.ts'

/** Follows this progress, the last value repeatedly. Returns what is drawn, and the number of reads. */
async function follow(done: (number | null)[], isTTY: boolean, refused = 0) {
  const drawn: string[] = []
  let looks = 0
  const read = async () => {
    const now = done[Math.min(looks, done.length - 1)]!
    looks += 1
    return now === null ? null : { done: now, total: 9, refused }
  }
  await followEmbedding(read, { write: (text) => drawn.push(text), isTTY }, async () => {})
  return { drawn: drawn.map((text) => text.replace('\r\u001b[2K', '')), looks }
}

test('counts the sections on one line until all are embedded', async () => {
  const { drawn } = await follow([0, 3, 3, 9], true)
  expect(drawn).toEqual(['embedding  3 of 9 sections', 'embedding  9 of 9 sections\n'])
  expect((await follow([0, 3, 9], false)).drawn).toEqual(['embedding  9 of 9 sections\n'])
  expect((await follow([0, 7], false, 2)).drawn).toEqual(['embedding  7 of 9 sections\n'])
})

test('draws nothing if embeddings are off, and stops reading at last', async () => {
  expect(await follow([null], true)).toEqual({ drawn: [], looks: 1 })
  expect(await follow([0], true)).toEqual({ drawn: [], looks: 120 })
})

const counts = { discovered: 10_526, pending: 120, skipped: 1_240, failed: 310 }
const embedding = { total: 16_393, done: 4_037 }
const address = 'https://docs.example.org/a/guide/with/many/folders/and/a/page.html'

/** Returns what is drawn for a run that ends in this state. */
async function draw(status: RunStatus, rest: object, output: { isTTY: boolean; columns?: number }) {
  const { url, ...run } = { url: address, ...rest }
  const state = create(WatchSyncResponseSchema, { url, run: { status, pages: counts, ...run } })
  const drawn: string[] = []
  const states = (async function* () {
    yield writeMessage(WatchSyncResponseSchema, state) as JsonObject
  })()
  await followSync(states, { ...output, write: (text) => drawn.push(text) })
  return drawn.join('').replaceAll('\r\u001b[2K', '')
}

test('the progress of a sync fits on one line of a terminal, with the end of the URL', async () => {
  const wide = await draw(RunStatus.RUNNING, { embedding }, { isTTY: true, columns: 120 })
  expect(wide).toBe(
    'running  10406 of 10526 pages, 0/s, 1240 skipped, 310 failed, 4037 of 16393 sections embedded  …folders/and/a/page.html',
  )
  for (const columns of [80, 100, 120, undefined]) {
    const line = await draw(RunStatus.RUNNING, { embedding }, { isTTY: true, ...(columns && { columns }) })
    expect(line).toMatch(/^running {2}10406 of 10526 pages, 0\/s, 1240 skipped, 310 failed/)
    expect(line.length).toBeLessThan(columns ?? 80)
    expect(line).toMatch(/(failed|embedded|page\.html)$/)
  }
})

test('the end of a sync uses a second line if one is too short, and nothing is truncated', async () => {
  const error =
    'The start page could not be read: the name docs.example.org is unknown to every server asked.'
  const ended = await draw(RunStatus.FAILED, { embedding, error }, { isTTY: true, columns: 80 })
  expect(ended).toBe(
    `failed  10406 of 10526 pages, 0/s, 1240 skipped, 310 failed\n  4037 of 16393 sections embedded\n  ${error}\n`,
  )
  const piped = await draw(RunStatus.FAILED, { embedding, error }, { isTTY: false })
  expect(piped).toBe(
    `failed  10406 of 10526 pages, 0/s, 1240 skipped, 310 failed, 4037 of 16393 sections embedded  ${error}\n`,
  )
})
