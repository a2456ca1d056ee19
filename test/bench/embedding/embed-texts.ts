// Embeds texts with Lectern's local embedder, as the product does in the background, and prints what rate.ts reads.
// Arguments: folder of the model, JSON file of texts, texts of one call.
import { readFileSync } from 'node:fs'
import { openLocalEmbedder } from '../../../services/model/local/local-embedder.ts'
import { testModel } from '../../model/weights.ts'

const comparedTexts = 8
const [folder, file, size] = process.argv.slice(2) as [string, string, string]
const texts: string[] = JSON.parse(readFileSync(file, 'utf8'))
const batch = Number(size)
const { background, close } = await openLocalEmbedder(folder, testModel)

async function embed(some: string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let at = 0; at < some.length; at += batch)
    vectors.push(
      ...(await background.embed('passage', some.slice(at, at + batch), new AbortController().signal)),
    )
  return vectors
}

await embed(texts.slice(0, batch))
const [start, before] = [performance.now(), process.cpuUsage()]
const vectors = await embed(texts)
const seconds = (performance.now() - start) / 1_000
const { user, system } = process.cpuUsage(before)
await close()
const compared = vectors.slice(0, comparedTexts).map((vector) => [...vector])
process.stdout.write(JSON.stringify({ seconds, cpu: (user + system) / 1e6, vectors: compared }))
