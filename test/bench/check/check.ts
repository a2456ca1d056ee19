// The check of citations, judged on pairs of a claim and a passage: `check` measures its accuracy, `fit-check` computes its
// thresholds.
import { join } from 'node:path'
import {
  compare,
  type Evidence,
  type Meaning,
  minShare,
  minSimilarities,
  readEvidence,
} from '../../../services/answer/citation-check.ts'
import { openLocalEmbedder } from '../../../services/model/local/local-embedder.ts'
import { createSimilarities } from '../../../services/search/meaning.ts'
import { testModel, weights, withoutWeights } from '../../model/weights.ts'
import { readLanguages } from '../../read-languages.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type Table, toTarget } from '../report.ts'
import { judgedManuals, manuals, requireManuals } from '../site/manuals.ts'
import { mean } from '../statistics.ts'
import { type LabelledPair, readPairs, toMisplaced } from './pairs.ts'

const targets = { right: 0.85, falseAccepted: 0.1 }

interface JudgedPair extends LabelledPair {
  evidence: Evidence
  /** Null if no model compared them. */
  similarity: number | null
}

type Accepts = (pair: JudgedPair) => boolean

const isNearByWords = (pair: JudgedPair, at = minShare) => pair.evidence.share >= at
const isNearByModel = (pair: JudgedPair, at = minSimilarities[testModel.name]!) =>
  pair.similarity === null ? isNearByWords(pair) : pair.similarity >= at
const hasFacts = ({ evidence }: JudgedPair) => evidence.mismatch === null

/** The judges of a set; the last two are the product's. */
const judges: Record<string, Accepts> = {
  'all accepted': () => true,
  'nearness alone': (pair) => isNearByModel(pair),
  'facts alone': hasFacts,
  'facts, words': (pair) => hasFacts(pair) && isNearByWords(pair),
  'facts, model': (pair) => hasFacts(pair) && isNearByModel(pair),
}

/** Figures of one judge on one set; `misplaced` are the set's claims paired with other sections. */
function toFigures(pairs: JudgedPair[], misplaced: JudgedPair[], accepts: Accepts) {
  const share = (of: JudgedPair[], isCounted: Accepts) => mean(of.map((pair) => (isCounted(pair) ? 1 : 0)))
  const isSupported: Accepts = ({ supported }) => supported
  return {
    precision: share(pairs.filter(accepts), isSupported),
    recall: share(pairs.filter(isSupported), accepts),
    right: share(pairs, (pair) => accepts(pair) === pair.supported),
    'false accepted': share(
      pairs.filter(({ supported }) => !supported),
      accepts,
    ),
    'other section accepted': share(misplaced, accepts),
  }
}

export async function measureCheck({ closed }: BenchOptions): Promise<Table[]> {
  const { pairs, misplaced } = await judgeAll(closed)
  const independent = pairs.filter(({ set }) => set !== 'former')
  const ofClosed = pairs.filter(({ set }) => manuals.some((each) => each.closed && each.name === set))
  const sets = [...new Set(pairs.map(({ set }) => set))].map((set): [string, JudgedPair[]] => [
    set,
    pairs.filter((pair) => pair.set === set),
  ])
  const together: [string, JudgedPair[]][] = [
    ['all but former', independent],
    ['open, all but former', independent.filter((pair) => !ofClosed.includes(pair))],
    ['closed', ofClosed],
  ]
  const rows = [...sets, ...(closed ? together : together.slice(0, 1))].flatMap(([set, of]) => {
    const beside = misplaced.filter((pair) => of.some((each) => each.set === pair.set))
    return Object.entries(judges).map(([judge, accepts]) => ({
      set,
      judge,
      pairs: of.length,
      ...toFigures(of, beside, accepts),
    }))
  })
  const product = judges['facts, model']!
  const kinds = [...new Set(independent.flatMap(({ why }) => why ?? []))]
  const figures = toFigures(independent, [], product)
  return [
    {
      title: 'Citation check: pairs of claim and passage',
      rows,
      notes: [
        'former: written by the authors of an earlier check, or while it was made',
        'fit-check fits the thresholds to all sets but those of the closed manuals',
        ...(withoutWeights ? ['without the weights of the model: words decide everywhere'] : []),
      ],
    },
    {
      title: 'Citation check: accepted with facts and model, by what the claim does',
      rows: kinds.map((kind) => {
        const of = independent.filter(({ why }) => why === kind)
        return {
          kind,
          supported: of[0]!.supported ? 'yes' : 'no',
          pairs: of.length,
          accepted: mean(of.map((pair) => (product(pair) ? 1 : 0))),
        }
      }),
    },
    {
      title: 'Citation check: targets, all but former',
      rows: [
        toTarget('pairs judged right', figures.right, '≥', targets.right),
        toTarget('false accepted', figures['false accepted'], '≤', targets.falseAccepted),
      ],
    },
  ]
}

const grid = Array.from({ length: 18 }, (_, at) => (at + 1) * 0.05).map((at) => Number(at.toFixed(2)))
const margin = 0.01
const scales: Record<string, (at: number) => Accepts> = {
  words: (at) => (pair) => hasFacts(pair) && isNearByWords(pair, at),
  similarity: (at) => (pair) =>
    hasFacts(pair) && (pair.similarity === null ? isNearByWords(pair) : pair.similarity >= at),
}

/** Fits on all manuals but one and judges on that one; then fits on all. Closed manuals are excluded. */
export async function fitCheck(): Promise<Table[]> {
  const { pairs, misplaced } = await judgeAll(false)
  const names = [...new Set(pairs.map(({ manual }) => manual))]
  const without = (of: JudgedPair[], manual: string | null) => of.filter((pair) => pair.manual !== manual)
  const only = (of: JudgedPair[], manual: string) => of.filter((pair) => pair.manual === manual)
  // The highest of the nearly best, because a wrong citation is worse than none.
  const best = (scale: string, manual: string | null) => {
    const worths = grid.map((at) =>
      balance(toFigures(without(pairs, manual), without(misplaced, manual), scales[scale]!(at))),
    )
    return grid.findLast((_, n) => worths[n]! >= Math.max(...worths) - margin)!
  }
  return Object.keys(scales).flatMap((scale) => [
    {
      title: `Threshold of ${scale}: fitted without a manual, judged on it`,
      rows: [...names, null].map((manual) => {
        const threshold = best(scale, manual)
        const judged = manual === null ? pairs : only(pairs, manual)
        const beside = manual === null ? misplaced : only(misplaced, manual)
        const figures = toFigures(judged, beside, scales[scale]!(threshold))
        return { 'left out': manual ?? 'none', threshold, balance: balance(figures), ...figures }
      }),
      notes: ['balance: mean of recall and of the share of claims that are rightly not accepted'],
    },
    {
      title: `Every threshold of ${scale}, on all manuals`,
      rows: grid.map((at) => ({ threshold: at, ...toFigures(pairs, misplaced, scales[scale]!(at)) })),
    },
  ])
}

/** False claims and other sections have the same weight. */
function balance(figures: ReturnType<typeof toFigures>): number {
  const { recall, 'false accepted': falsely, 'other section accepted': elsewhere } = figures
  return (recall + 1 - (falsely + elsewhere) / 2) / 2
}

async function judgeAll(closed: boolean) {
  requireManuals(judgedManuals(closed))
  const pairs = await readPairs(closed)
  const meaning = await openMeaning()
  return { pairs: await judge(pairs, meaning), misplaced: await judge(toMisplaced(pairs), meaning) }
}

async function judge(pairs: LabelledPair[], meaning: Meaning | null): Promise<JudgedPair[]> {
  const evidence = await readEvidence(pairs, readLanguages)
  const judged: JudgedPair[] = []
  for (const [at, pair] of pairs.entries()) {
    const [similarity = null] = await compare([[pair, evidence[at]!]], meaning)
    judged.push({ ...pair, evidence: evidence[at]!, similarity })
  }
  return judged
}

/** Like the product: the default model, if its weights are available. */
async function openMeaning(): Promise<Meaning | null> {
  if (withoutWeights) return null
  const embedder = await openLocalEmbedder(join(weights, testModel.name), testModel)
  const report = (error: unknown) => {
    throw error
  }
  return {
    similarities: createSimilarities({ embedder, report }),
    languages: testModel.languages,
    minSimilarity: minSimilarities[testModel.name]!,
  }
}
