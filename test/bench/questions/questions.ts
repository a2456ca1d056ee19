// Questions of readers on manuals of different generators: Lectern by keywords and with the local model, compared with BM25 and
// with the model alone, on the same sections.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SearchIndex, Unit } from '../../../services/index/search-index.ts'
import type { QuestionVectors } from '../../../services/search/meaning.ts'
import { openSearch } from '../agreement/compare.ts'
import { toPath, toUrl } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import { readSections } from '../corpus/sections.ts'
import { manualsToJudge, readJudged, sealedManuals } from '../manuals/sealed.ts'
import { openFts5 } from '../quality/fts5-engine.ts'
import { type Table, toTarget } from '../report.ts'
import { requireManuals } from '../site/manuals.ts'
import { type AskedManual, openAskedManual, project, rankOf, scoreOf } from './asked-manual.ts'
import { openCachedEmbedder } from './vectors.ts'

/** Of words over BM25, and of words and model over the model alone: MRR@10. */
const gain = 0.05
const overall = { 'hit@1': 0.5, 'hit@3': 0.75 }
const settings = JSON.parse(readFileSync(new URL('../quality/settings.json', import.meta.url), 'utf8'))
const maxFound = 200

type Score = ReturnType<typeof scoreOf>
type Find = (question: string) => Promise<string[]>

export async function measureQuestions(options: BenchOptions): Promise<Table[]> {
  const judged = manualsToJudge(options)
  requireManuals(judged)
  const embedder = await openCachedEmbedder()
  const rows: Table['rows'] = []
  const targets: Table['rows'] = []
  const closedScores: Score[] = []
  for (const manual of judged) {
    const asked = await openAskedManual(manual, embedder)
    const questions = sealedManuals.includes(manual) ? readJudged(manual).questions : asked.questions
    const scores = new Map<string, Score>()
    for (const [by, find] of await waysToFind(asked)) {
      const ranks: number[] = []
      for (const { question, pages } of questions) ranks.push(rankOf(await find(question), pages))
      scores.set(by, scoreOf(ranks))
      rows.push({ manual: manual.name, questions: ranks.length, by, ...scoreOf(ranks) })
    }
    const mrr = (by: string) => scores.get(by)?.['MRR@10'] ?? 0
    const gains = (what: string, by: string, over: string) =>
      toTarget(`${manual.name}: ${what}, ≥ ${over} + ${gain}`, mrr(by), '≥', round(mrr(over) + gain))
    targets.push(gains('by words', 'words', 'BM25'))
    if (asked.embedder) {
      targets.push(gains('with the model', 'words and model', 'model alone'))
      if (manual.closed) closedScores.push(scores.get('words and model')!)
    }
    await asked.close()
  }
  for (const figure of ['hit@1', 'hit@3'] as const) {
    if (closedScores.length === 0) continue
    const mean = closedScores.reduce((sum, score) => sum + score[figure], 0) / closedScores.length
    targets.push(toTarget(`closed manuals, with the model: ${figure}`, mean, '≥', overall[figure]))
  }
  await embedder?.close()
  return [
    {
      title: 'Questions: the section that answers, found',
      rows,
      notes: [
        'BM25: FTS5 with the settings that are best for questions, see search-quality',
        'model alone: the nearest sections; a manual in a language that it does not know has none',
      ],
    },
    { title: 'Questions: targets, MRR@10', rows: targets },
  ]
}

async function waysToFind(asked: AskedManual): Promise<Map<string, Find>> {
  const { manual, index, embedder, keyOf } = asked
  const bm25 = openFts5(readSections(manual))
  const toKeys = (urls: string[]) =>
    urls.map((url) => [toPath(manual, url), ...url.split('#').slice(1)].join('#'))
  const words = await openSearch(index, project)
  const ways = new Map<string, Find>([
    [
      'BM25',
      async (question) =>
        bm25
          .search(question, settings.questions)
          .map((section) => keyOf({ ...section, url: toUrl(manual, section.page) })),
    ],
    ['words', async (question) => toKeys(await words(question, 50))],
  ])
  if (embedder === null) return ways
  const vectorOf = async (question: string) => {
    const [vector] = await embedder.embed('question', [question], new AbortController().signal)
    return { model: embedder.name, vector: vector! }
  }
  const of: QuestionVectors['of'] = async (question) => ({
    meaning: 'used',
    vector: await vectorOf(question),
  })
  const both = await openSearch(index, project, { of })
  ways.set('model alone', async (question) => {
    const near = await index.findByVector(project, { ...(await vectorOf(question)), limit: maxFound })
    return near.map(({ unit }) => keyOf(unit))
  })
  ways.set('words and model', async (question) => toKeys(await both(question, 50)))
  for (const share of [0.25, 0.5, 0.75]) {
    const part = await openSearch(withVectorsOf(index, share), project, { of })
    ways.set(`${share} embedded`, async (question) => toKeys(await part(question, 50)))
  }
  return ways
}

/** The index while sections are embedded: only this share of the pages, chosen by their UUID, has vectors. */
function withVectorsOf(index: SearchIndex, share: number): SearchIndex {
  const isEmbedded = ({ unit }: { unit: Unit }) => hash('sha1', unit.page, 'buffer').readUInt8() < share * 256
  return {
    ...index,
    async findByVector(project, query) {
      const near = await index.findByVector(project, { ...query, limit: 20 * query.limit })
      return near.filter(isEmbedded).slice(0, query.limit)
    },
  }
}

const round = (figure: number) => Math.round(1_000 * figure) / 1_000
