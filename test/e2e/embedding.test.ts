// Embeddings in a complete Lectern from an endpoint, in the background and after a kill. The local model is tested in
// test/e2e/outgoing.test.ts, and its absence in test/e2e/ending.test.ts.
import { afterEach, expect, it } from 'vitest'
import { createFolder } from '../folder.ts'
import { openScriptedProvider } from '../model/scripted-provider.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

let lectern: LecternProcess
afterEach(() => lectern.remove())

const answerTo = (path: string) => lectern.call('GET', `/api/v2/projects/manual/${path}`)
const search = async (q: string): Promise<unknown[]> =>
  (await answerTo(`search/?q=${encodeURIComponent(q)}`)).body.results

it('embeds in the background and continues after a kill', async () => {
  const provider = await openScriptedProvider()
  const { embeddings } = provider
  const textsAsked = () => embeddings.calls.flatMap((call) => (call.body as { input: string[] }).input)
  const data = createFolder()
  const env = { LECTERN_EMBEDDINGS_URL: provider.url, LECTERN_EMBEDDINGS_MODEL: 'm1' }
  const progress = async () => (await answerTo('sync/')).body.embedding
  // The endpoint answers the first batch and holds the second until the kill.
  embeddings.play(embeddings.fallback)
  const held = embeddings.hold()
  lectern = await startLectern({ data, env, crawlsManual: true })
  await held
  await expect.poll(async () => (await progress())?.done).toBeGreaterThan(0)
  await lectern.kill()

  const before = textsAsked().length
  lectern = await startLectern({ data, env })
  await expect
    .poll(async () => {
      const { total, done, model } = (await progress()) ?? {}
      return total > 0 && done === total ? model : null
    })
    .toBe('openai-compatible:m1')
  expect(textsAsked().length - before).toBeLessThan(new Set(textsAsked()).size)
  expect(await search('how do I keep the index fresh')).not.toEqual([])
  await provider.close()
})
