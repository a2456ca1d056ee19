// Computes the cosine at which two questions count as equivalent: how often questions answered by different pages of one manual
// are as near.
import { join } from 'node:path'
import { openLocalEmbedder } from '../../../services/model/local/local-embedder.ts'
import { testModel, weights, withoutWeights } from '../../model/weights.ts'
import { readQuestions } from '../manuals/manual-questions.ts'
import type { Table } from '../report.ts'
import { judgedManuals } from '../site/manuals.ts'

const cosines = [0.5, 0.6, 0.7, 0.8]
const batch = 16
const never = new AbortController().signal

export async function fitClusters(): Promise<Table[]> {
  if (withoutWeights) return []
  const embedder = await openLocalEmbedder(join(weights, testModel.name), testModel)
  const found: number[] = []
  try {
    for (const manual of judgedManuals(false)) {
      const questions = readQuestions(manual)
      const vectors: Float32Array[] = []
      for (let first = 0; first < questions.length; first += batch) {
        const texts = questions.slice(first, first + batch).map(({ question }) => question)
        vectors.push(...(await embedder.embed('passage', texts, never)))
      }
      const pages = questions.map((each) => each.pages.map((page) => page.split('#')[0]))
      for (let one = 0; one < questions.length; one++)
        for (let other = one + 1; other < questions.length; other++)
          if (!pages[one]!.some((page) => pages[other]!.includes(page)))
            found.push(vectors[one]!.reduce((sum, value, n) => sum + value * vectors[other]![n]!, 0))
    }
  } finally {
    await embedder.close()
  }
  const share = (least: number) => found.filter((cosine) => cosine >= least).length / found.length
  return [
    {
      title: 'Questions that different pages answer, by how near the model finds them',
      rows: cosines.map((least) => ({
        cosine: `≥ ${least}`,
        pairs: found.length,
        '% of them': 100 * share(least),
      })),
    },
  ]
}
