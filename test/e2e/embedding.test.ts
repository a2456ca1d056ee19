// Embeddings in a whole Lectern: by an endpoint, which is asked in the background and after a kill, and by a local model that
// cannot be had. test/e2e/outgoing.test.ts has the local model at work.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createFolder } from '../folder.ts'
import { openScriptedProvider } from '../model/scripted-provider.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

let lectern: LecternProcess
afterEach(() => lectern.remove())

const answerTo = (path: string) => lectern.call('GET', `/api/v2/projects/manual/${path}`)
const search = async (q: string): Promise<unknown[]> =>
  (await answerTo(`search/?q=${encodeURIComponent(q)}`)).body.results

it('embeds in the background, and goes on after a kill', async () => {
  const provider = await openScriptedProvider()
  const { embeddings } = provider
  const textsAsked = () => embeddings.calls.flatMap((call) => (call.body as { input: string[] }).input)
  const data = createFolder()
  const env = { LECTERN_EMBEDDINGS_URL: provider.url, LECTERN_EMBEDDINGS_MODEL: 'm1' }
  const progress = async () => (await answerTo('sync/')).body.embedding
  // The first batch is answered, the second held until the kill.
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

it('goes by words where the models’ folder is none, and says so in one line', async () => {
  // What is no folder cannot be fetched into either: nobody is asked.
  const file = join(createFolder(), 'models')
  await writeFile(file, '')
  lectern = await startLectern({
    env: { LECTERN_EMBEDDINGS: 'local', LECTERN_MODELS: file },
    crawlsManual: true,
  })
  await expect.poll(async () => (await search('how do I cancel a sync')).length).toBeGreaterThan(0)
  const lines = () => lectern.output.filter((line) => line.includes('no embedding model'))
  await expect
    .poll(() => lines().map((line) => JSON.parse(line).msg))
    .toEqual([
      expect.stringMatching(/^no embedding model, search goes by words: .*all-minilm-l6-v2: cannot be made/),
    ])
})
