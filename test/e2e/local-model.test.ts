// A real process with the model of its own: the manual is embedded in the background, and a question is found by its meaning.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createFolder } from '../folder.ts'
import { testModel, weightsSettings, withoutWeights } from '../model/weights.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

let lectern: LecternProcess
afterEach(() => lectern.remove())

/** The latest run of the manual, once it and its embedding are as wanted. */
async function embeddingUntil(isWanted: (done: number, total: number) => boolean) {
  return expect
    .poll(
      async () => {
        const { status, body } = await lectern.call('GET', '/api/v2/projects/manual/sync/')
        const { embedding } = status === 200 ? body : { embedding: null }
        return embedding && body.status === 'completed' && isWanted(embedding.done, embedding.total)
          ? embedding
          : null
      },
      { timeout: 240_000 },
    )
    .toMatchObject({ model: `local:${testModel.name}`, refused: 0 })
}

async function search(q: string): Promise<{ url: string }[]> {
  const { status, body } = await lectern.call(
    'GET',
    `/api/v2/projects/manual/search/?q=${encodeURIComponent(q)}`,
  )
  expect(status).toBe(200)
  return body.results
}

describe.skipIf(withoutWeights)('Lectern with its local model', () => {
  it('embeds in the background, and finds a question by what it means', { timeout: 300_000 }, async () => {
    lectern = await startLectern({ env: { ...weightsSettings, LECTERN_LOG: 'info' } })
    await embeddingUntil((done, total) => total > 0 && done === total)
    const isWhole = (line: string) => /^embedding {2}(\d+) of \1 sections$/.test(line)
    await expect.poll(() => lectern.output.filter(isWhole).length).toBe(1)
    const path = 'search/explain/?q=how+do+I+let+a+colleague+in%3F'
    const explain = () => lectern.call('GET', `/api/v2/projects/manual/${path}`)
    let body: { meaning: string; results: { url: string }[] } | undefined
    const readMeaning = async () => {
      ;({ body } = await explain())
      return body?.meaning
    }
    // A busy machine may take longer than the 150 ms that a search waits for the model.
    await expect.poll(readMeaning).toBe('used')
    expect(body?.results[0]?.url).toContain('/team')
    expect(
      lectern.output.filter((line) => line.includes('the embedding model all-minilm-l6-v2 is ready')),
    ).toHaveLength(1)
    await lectern.kill('SIGTERM')
    expect(lectern.process.exitCode).toBe(0)
  })
})

it('goes by words where the models’ folder is none, and says so in one line', async () => {
  // What is no folder cannot be fetched into either: nobody is asked.
  const folder = createFolder()
  const file = join(folder, 'models')
  await writeFile(file, '')
  lectern = await startLectern({ env: { LECTERN_EMBEDDINGS: 'local', LECTERN_MODELS: file } })
  await expect.poll(async () => (await search('how do I cancel a sync')).length).toBeGreaterThan(0)
  const lines = () => lectern.output.filter((line) => line.includes('no embedding model'))
  await expect
    .poll(() => lines().map((line) => JSON.parse(line).msg))
    .toEqual([
      expect.stringMatching(/^no embedding model, search goes by words: .*all-minilm-l6-v2: cannot be made/),
    ])
})
