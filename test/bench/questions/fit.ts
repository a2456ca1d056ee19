// Fits the weights of the evidence for a candidate of a question, on the open manuals; judges them on each manual with weights
// fitted without it; and compares the weights in the product with the result.

import { type Evidence, questionWeights, readEvidence } from '../../../services/search/rank.ts'
import { retrieve } from '../../../services/search/retrieve.ts'
import { understand } from '../../../services/search/understand.ts'
import { toStore } from '../agreement/compare.ts'
import type { BenchOptions } from '../bench-options.ts'
import { isRight } from '../manuals/manual-questions.ts'
import type { Table } from '../report.ts'
import { chooseManuals, judgedManuals, requireManuals } from '../site/manuals.ts'
import { type AskedManual, openAskedManual, project, rankOf, scoreOf } from './asked-manual.ts'
import { dot, type Example, train } from './train.ts'
import { openCachedEmbedder } from './vectors.ts'

/** The tolerance for a weight in the product, because vectors differ a little between machines. */
const tolerance = 0.15

interface AskedExample extends Example {
  labels: string[]
  /** Of each candidate. */
  keys: string[]
}

export async function measureFit({ only }: BenchOptions): Promise<Table[]> {
  const manuals = chooseManuals(judgedManuals(false), only)
  requireManuals(manuals)
  const embedder = await openCachedEmbedder()
  const examples = { byWords: [] as AskedExample[], byMeaning: [] as AskedExample[] }
  for (const manual of manuals) {
    const asked = await openAskedManual(manual, embedder)
    examples.byWords.push(...(await readExamples(asked, false)))
    if (asked.embedder) examples.byMeaning.push(...(await readExamples(asked, true)))
    await asked.close()
  }
  await embedder?.close()
  const judged: Table['rows'] = []
  const weights: Table['rows'] = []
  for (const [name, used] of Object.entries(questionWeights)) {
    const some = examples[name as keyof typeof examples]
    if (some.length === 0) continue
    const signs = Object.keys(used)
    judged.push(...judge(name, some, Float64Array.from(Object.values(used))))
    const fitted = train(some, signs.length)
    for (const [at, sign] of signs.entries()) {
      const inProduct = Object.values(used)[at]!
      const differs = Math.abs(fitted[at]! - inProduct) > tolerance
      weights.push({
        weights: name,
        sign,
        fitted: round(fitted[at]!),
        'in use': inProduct,
        same: differs ? 'NO' : 'yes',
      })
    }
  }
  return [
    {
      title: 'Fit: each manual by weights that were fitted without it, and by those in use',
      rows: judged,
    },
    { title: 'Fit: weights (services/search/rank.ts)', rows: weights },
  ]
}

/** The candidates of each question in the search, with their evidence. */
async function readExamples(asked: AskedManual, withMeaning: boolean): Promise<AskedExample[]> {
  const { index, manual, embedder, keyOf } = asked
  const vocabulary = await index.vocabulary(project)
  const deps = { index, pages: (await toStore(index, project)).pages }
  const wanted = { filter: {}, admits: () => true, enough: 20 }
  const signs = Object.keys(
    withMeaning ? questionWeights.byMeaning : questionWeights.byWords,
  ) as (keyof Evidence)[]
  const examples: AskedExample[] = []
  for (const { question, pages } of asked.questions) {
    const query = understand(question, vocabulary, false)
    const [vector] = withMeaning
      ? await embedder!.embed('question', [question], new AbortController().signal)
      : []
    const asVector = vector ? { model: embedder!.name, vector } : null
    const found = await retrieve(deps, project, query, Promise.resolve(asVector), wanted)
    const evidence = readEvidence(found, query)
    const keys = found.hits.map(({ unit }) => keyOf(unit))
    examples.push({
      group: manual.name,
      labels: pages,
      keys,
      evidence: evidence.map((row) => Float64Array.from(signs, (sign) => row[sign])),
      isRight: keys.map((key) => isRight(key, pages)),
    })
  }
  return examples
}

function judge(name: string, examples: AskedExample[], used: Float64Array): Table['rows'] {
  const groups = [...new Set(examples.map(({ group }) => group))]
  return groups.flatMap((group) => {
    const own = examples.filter((example) => example.group === group)
    const others = train(
      examples.filter((example) => example.group !== group),
      used.length,
    )
    return Object.entries({ 'of the others': others, 'in use': used }).map(([from, weights]) => ({
      weights: name,
      manual: group,
      fitted: from,
      ...scoreOf(own.map((example) => rankOf(toOrder(example, weights), example.labels))),
    }))
  })
}

function toOrder({ evidence, keys }: AskedExample, weights: Float64Array): string[] {
  return evidence
    .map((row, at) => ({ sum: dot(weights, row), key: keys[at]! }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ key }) => key)
}

const round = (weight: number) => Math.round(10 * weight) / 10
