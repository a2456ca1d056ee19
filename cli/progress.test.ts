import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { type EmbeddingProgress, EmbeddingProgressSchema } from '../gen/lectern/v1/sync_pb.js'
import { followEmbedding } from './progress.ts'

/** Follows what is read one after the other, the last again and again; answers what is drawn, and how often was looked. */
async function follow(done: (number | null)[], isTTY: boolean, refused = 0) {
  const drawn: string[] = []
  let looks = 0
  const read = async (): Promise<EmbeddingProgress | undefined> => {
    const now = done[Math.min(looks, done.length - 1)]!
    looks += 1
    return now === null ? undefined : create(EmbeddingProgressSchema, { done: now, total: 9, refused })
  }
  await followEmbedding(read, { write: (text) => drawn.push(text), isTTY }, async () => {})
  return { drawn: drawn.map((text) => text.replace('\r\u001b[2K', '')), looks }
}

test('the sections are counted on one line until all are embedded', async () => {
  const { drawn } = await follow([0, 3, 3, 9], true)
  expect(drawn).toEqual(['embedding  3 of 9 sections', 'embedding  9 of 9 sections\n'])
  expect((await follow([0, 3, 9], false)).drawn).toEqual(['embedding  9 of 9 sections\n'])
  expect((await follow([0, 7], false, 2)).drawn).toEqual(['embedding  7 of 9 sections\n'])
})

test('nothing is drawn where embeddings are off, and nobody looks for ever', async () => {
  expect(await follow([null], true)).toEqual({ drawn: [], looks: 1 })
  expect(await follow([0], true)).toEqual({ drawn: [], looks: 120 })
})
