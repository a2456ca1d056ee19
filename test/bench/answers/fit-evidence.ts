// Fits the weights of services/answer/review.ts: which questions can be answered from a manual, or from a small project of
// some of its pages, given the search results. It reads every manual, the closed ones too. Each manual is judged with weights fitted to the
// others; the weights printed last are fitted to all.
import { type Evidence, readEvidence, thresholds } from '../../../services/answer/review.ts'
import type { Unit } from '../../../services/index/search-index.ts'
import { readManualUnits, toPath } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import { readQuestions, readUnanswerable, readWithin } from '../manuals/manual-questions.ts'
import { openAskedManual, openPassages, project } from '../questions/asked-manual.ts'
import { type CachedEmbedder, openCachedEmbedder } from '../questions/vectors.ts'
import type { Table } from '../report.ts'
import { chooseManuals, judgedManuals, type Manual, requireManuals } from '../site/manuals.ts'
import { fitLogistic, type Sample } from './logistic.ts'

/** The sets of weights: the questions and target to which each is fitted, and manual additions. */
const sets: {
  set: string
  fields: (keyof Evidence)[]
  more: { bias: number; size: number }
  fits(each: Case): boolean
}[] = [
  {
    set: 'with a model',
    fields: ['best', 'unknown', 'length', 'lacking'],
    more: { bias: 0, size: 0 },
    fits: (each) => each.hasModel,
  },
  {
    set: 'by words',
    fields: ['best', 'unknown', 'length'],
    more: { bias: 0.4, size: -0.4 },
    fits: (each) => !each.hasModel,
  },
]

/** Small projects of each manual: the number of pages, which answer some of its questions, and their weight. */
const small = { sizes: [1, 4, 16], ofSize: 2 }
/** The weight of a question to a complete manual relative to one of these. Chosen by hand, like `sizes` and `ofSize`. */
const wholeWeight = 3

interface Case extends Sample<keyof Evidence> {
  manual: string
  isWhole: boolean
  hasModel: boolean
  /** Judged, but not used for fitting. */
  isWithin: boolean
}

export async function fitEvidence({ only }: BenchOptions): Promise<Table[]> {
  const manuals = chooseManuals(judgedManuals(true), only)
  requireManuals(manuals)
  const embedder = await openCachedEmbedder()
  const cases: Case[] = []
  for (const manual of manuals) cases.push(...(await readCases(manual, embedder)))
  await embedder?.close()
  return [
    {
      title: 'Evidence: weights, and what they tell of the manual that was left out',
      // Without the model, the first set has no cases.
      rows: sets.flatMap((set) => {
        const own = cases.filter(set.fits)
        return own.length === 0 ? [] : fitSet(set, own)
      }),
      notes: [
        'small: projects of 1, 4 and 16 pages of the manual',
        'within: about the subject of the manual and in its words, and not answered by it; no weights are fitted to these',
      ],
    },
  ]
}

function fitSet({ set, fields, more }: (typeof sets)[number], cases: Case[]): Table['rows'] {
  const fitMore = (samples: Case[]) => {
    const logistic = fitLogistic(samples, fields)
    logistic.weights.bias += more.bias
    logistic.weights.size = more.size
    return logistic
  }
  const manuals = [...new Set(cases.map(({ manual }) => manual))]
  const fitted = cases.filter(({ isWithin }) => !isWithin)
  const weighed = fitted.map((each) => {
    const alike = fitted.filter(({ manual, isTrue }) => manual === each.manual && isTrue === each.isTrue)
    const whole = alike.filter(({ isWhole }) => isWhole).length
    return { ...each, weight: (each.isWhole ? wholeWeight : 1) / (alike.length + (wholeWeight - 1) * whole) }
  })
  const rows: Table['rows'] = []
  for (const manual of manuals.length > 1 ? manuals : []) {
    const others = fitMore(weighed.filter((each) => each.manual !== manual))
    const toShare = (judged: Case[], holds: (probability: number) => boolean) =>
      judged.filter((each) => holds(others.probability(each.values))).length / judged.length
    const own = cases.filter((each) => each.manual === manual)
    const share = (isWhole: boolean, isTrue: boolean, holds: (probability: number) => boolean) =>
      toShare(
        own.filter((each) => !each.isWithin && each.isWhole === isWhole && each.isTrue === isTrue),
        holds,
      )
    const isHeld = (probability: number) => !isAnswered(probability)
    const isAnswered = (probability: number) => probability >= thresholds.answered
    const isRefused = (probability: number) => probability < thresholds.refused
    rows.push({
      set,
      on: `all but ${manual}`,
      ...others.weights,
      'answerable answered': share(true, true, isAnswered),
      'unanswerable refused': share(true, false, isRefused),
      'or pointed': share(true, false, isHeld),
      'within: refused or pointed': toShare(
        own.filter(({ isWithin }) => isWithin),
        isHeld,
      ),
      'small: answered': share(false, true, isAnswered),
      'small: refused': share(false, false, isRefused),
    })
  }
  return [...rows, { set, on: 'all', ...fitMore(weighed).weights }]
}

async function readCases(manual: Manual, embedder: CachedEmbedder | null): Promise<Case[]> {
  const units = readManualUnits(manual)
  const answering = [...new Set(readQuestions(manual).map(({ pages }) => pages[0]!.split('#')[0]!))]
  const cases = await askProject(manual, embedder, units, null)
  for (const size of small.sizes) {
    for (let at = 0; at < small.ofSize; at++) {
      const pages = new Set(answering.slice(at * size, (at + 1) * size))
      const some = units.filter(({ url }) => pages.has(toPath(manual, url)))
      cases.push(...(await askProject(manual, embedder, some, pages)))
    }
  }
  return cases
}

/** `pages`: its pages; null for the complete manual. The questions are those that they answer, and those that the manual does not. */
async function askProject(
  manual: Manual,
  embedder: CachedEmbedder | null,
  units: Unit[],
  pages: ReadonlySet<string> | null,
): Promise<Case[]> {
  const asked = await openAskedManual(manual, embedder, units)
  const questions = [
    ...readQuestions(manual)
      .filter((each) => pages === null || each.pages.some((page) => pages.has(page.split('#')[0]!)))
      .map(({ question }) => ({ question, isTrue: true, isWithin: false })),
    ...readUnanswerable(manual).map(({ question }) => ({ question, isTrue: false, isWithin: false })),
    ...(pages === null ? readWithin(manual) : []).map(({ question }) => ({
      ...{ question, isTrue: false, isWithin: true },
    })),
  ]
  const cases: Case[] = []
  for (const serving of asked.embedder ? [asked.embedder, null] : [null]) {
    const { passages, similarities } = await openPassages(asked, serving)
    for (const { question, isTrue, isWithin } of questions) {
      const found = await passages({ project, q: question, ...everything })
      const { model, ...values } = await readEvidence(question, found, similarities)
      if ((model !== null) !== (serving !== null)) throw new Error(`no answer of the model to "${question}"`)
      cases.push({
        manual: manual.name,
        isWhole: pages === null,
        hasModel: serving !== null,
        ...{ values, isTrue, isWithin },
      })
    }
  }
  await asked.close()
  return cases
}

const everything = { pageUrl: null, limit: 20, docVersion: null, language: null, sourceTypes: null }
