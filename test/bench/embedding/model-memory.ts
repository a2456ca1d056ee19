// A separate process that prints how much memory it gains, in MB of 2^20 bytes, when the local model embeds passages.
import { join } from 'node:path'
import { testModel, weights } from '../../model/weights.ts'

const resident = () => process.memoryUsage.rss() / 2 ** 20
const before = resident()
const { openLocalEmbedder } = await import('../../../services/model/local/local-embedder.ts')
const embedder = await openLocalEmbedder(join(weights, testModel.name), testModel)
const passages = Array.from({ length: 64 }, (_, at) => `Section ${at} tells what is to be done. `.repeat(12))
await embedder.embed('passage', passages, new AbortController().signal)
process.stdout.write(String(resident() - before))
