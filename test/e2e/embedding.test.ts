import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFolder } from '../folder.ts'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { fails } from '../model/scripts.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

let provider: ScriptedProvider
const data = createFolder()
let lectern: LecternProcess

const start = (model = 'm1') =>
  startLectern({
    data,
    env: { LECTERN_EMBEDDINGS_URL: provider.url, LECTERN_EMBEDDINGS_MODEL: model },
  })

beforeAll(async () => {
  provider = await openScriptedProvider()
})
afterAll(async () => {
  await lectern?.kill()
  await provider.close()
})

interface Progress {
  total: number
  done: number
  model: string
}

/** The latest run of the manual, once it and its embedding are as wanted. */
async function runUntil(isWanted: (status: string, embedding: Progress) => boolean): Promise<Progress> {
  for (;;) {
    const { status, body } = await lectern.call('GET', '/api/v2/projects/manual/sync/')
    if (status === 200 && body.embedding && isWanted(body.status, body.embedding)) return body.embedding
    await delay(50)
  }
}

const textsAsked = () => provider.embeddings.calls.flatMap((call) => (call.body as { input: string[] }).input)

async function search(q: string): Promise<unknown[]> {
  const { status, body } = await lectern.call(
    'GET',
    `/api/v2/projects/manual/search/?q=${encodeURIComponent(q)}`,
  )
  expect(status).toBe(200)
  return body.results
}

it('crawls and answers while the endpoint is away, and says how far it is', async () => {
  provider.embeddings.fallback = fails(503)
  lectern = await start()
  const { total, done } = await runUntil((status, { total }) => status === 'completed' && total > 0)
  expect(total).toBeGreaterThan(20)
  expect(done).toBe(0)
  expect(await search('how do I keep the index fresh')).not.toEqual([])
  expect(lectern.output.filter((line) => line.includes('the model is unavailable')).length).toBeLessThan(4)
  await lectern.kill()
})

it('embeds in the background, and goes on after a kill', async () => {
  const { embeddings } = provider
  const { fallback } = await openDefault()
  embeddings.fallback = fallback
  // The first batch is answered, the second held until the kill.
  embeddings.play(fallback)
  const held = embeddings.hold()
  lectern = await start()
  await held
  await runUntil((_, { done }) => done > 0)
  await lectern.kill()

  const before = textsAsked().length
  lectern = await start()
  const { total, done, model } = await runUntil((_, progress) => progress.done === progress.total)
  expect(done).toBe(total)
  expect(model).toBe('openai-compatible:m1')
  expect(textsAsked().length - before).toBeLessThan(new Set(textsAsked()).size)
  expect(await search('how do I keep the index fresh')).not.toEqual([])
  await lectern.kill()
})

it('asks for nothing again after a start; for everything with another model', async () => {
  const before = textsAsked().length
  lectern = await start()
  await runUntil((_, { done, total }) => done === total && total > 0)
  expect(textsAsked().length).toBe(before)
  await lectern.kill()
  lectern = await start('m2')
  const { model } = await runUntil((_, { done, total }) => done === total && total > 0)
  expect(model).toBe('openai-compatible:m2')
  expect(textsAsked().length).toBeGreaterThan(before)
})

/** What a provider answers that was told nothing. */
async function openDefault() {
  const other = await openScriptedProvider()
  const { fallback } = other.embeddings
  await other.close()
  return { fallback }
}
