// Computes the figures of an evaluation, compares them with the last one, and prints both.
import type { JsonObject } from './client.ts'
import { printLine, printTable } from './print.ts'

/** `pointed`: no answer, but links to the nearest sections. `failed`: no complete answer. */
export type Answered = 'answered' | 'pointed' | 'refused' | 'failed'

export interface QuestionResult {
  question: string
  answerable: boolean
  /** Rank of the first expected page in the first ten pages of the search, from 1. Null if none was found or expected. */
  rank: number | null
  /** Null with `--search-only`. */
  answered: Answered | null
  /** Whether the answer cites an expected page. Null if there is no answer or no expected page. */
  cited: boolean | null
}

/** The state of the project during the evaluation. */
export function toSettings({ page_count, last_sync: sync, model, prompt_version, embedding }: JsonObject) {
  return {
    page_count: page_count as number,
    /** End of the latest sync, or its status if it has not ended. */
    last_sync: (sync && (sync.finished_at ?? sync.status)) as string | null,
    model: model as string,
    prompt_version: prompt_version as string,
    /** Null if search is by words only. */
    embeddings: (embedding?.model ?? null) as string | null,
    /** `30 of 40` sections; null without embeddings. */
    embedded: embedding ? `${embedding.done} of ${embedding.total}` : null,
  }
}

type Settings = ReturnType<typeof toSettings>

export interface Evaluation {
  /** RFC 3339. */
  at: string
  project: string
  /** SHA-256 of the file of questions. */
  questions: string
  search_only: boolean
  settings: Settings
  scores: Scores
  outcomes: QuestionResult[]
}

/** Figure → a value from 0 to 1. Null if no question measures it. */
type Scores = Record<(typeof figures)[number]['name'], number | null>

interface Figure {
  name: string
  label: string
  /** Which questions count. */
  among(outcome: QuestionResult): boolean
  /** The figure is the mean of these values. */
  value(outcome: QuestionResult): boolean | number
  isPercent?: false
}

const isAnswerable = ({ answerable }: QuestionResult) => answerable
const within = (limit: number) => (outcome: QuestionResult) => outcome.rank !== null && outcome.rank <= limit
const answeredAs = (wanted: Answered, answerable: boolean) => ({
  among: (outcome: QuestionResult) =>
    outcome.answerable === answerable && outcome.answered !== null && outcome.answered !== 'failed',
  value: ({ answered }: QuestionResult) => answered === wanted,
})
const isCited = ({ cited }: QuestionResult) => cited === true

// biome-ignore format: a table
const figures = [
  { name: 'hit_at_1', label: 'hit@1', among: isAnswerable, value: within(1) },
  { name: 'hit_at_3', label: 'hit@3', among: isAnswerable, value: within(3) },
  { name: 'hit_at_10', label: 'hit@10', among: isAnswerable, value: within(10) },
  { name: 'mrr', label: 'MRR', among: isAnswerable, value: reciprocalRank, isPercent: false },
  { name: 'answered_answerable', label: 'answerable: answered', ...answeredAs('answered', true) },
  { name: 'pointed_answerable', label: '… pointed to sections', ...answeredAs('pointed', true) },
  { name: 'refused_answerable', label: '… refused', ...answeredAs('refused', true) },
  { name: 'answered_unanswerable', label: 'unanswerable: answered', ...answeredAs('answered', false) },
  { name: 'pointed_unanswerable', label: '… pointed to sections', ...answeredAs('pointed', false) },
  { name: 'refused_unanswerable', label: '… refused', ...answeredAs('refused', false) },
  { name: 'cited_page', label: 'cites an expected page', among: ({ cited }) => cited !== null, value: isCited },
  { name: 'cited_page_found', label: '… where search had it', among: ({ cited, rank }) => cited !== null && rank !== null, value: isCited },
  { name: 'failed', label: 'failed', among: ({ answered }) => answered !== null, value: ({ answered }) => answered === 'failed' },
] as const satisfies Figure[]

/** Ranks 1, 3, none of three answerable questions → hit@1 1/3, hit@3 2/3, MRR (1 + 1/3 + 0) / 3 = .444 */
export function computeScores(outcomes: QuestionResult[]): Scores {
  const scores = figures.map(({ name, among, value }) => [
    name,
    mean(outcomes.filter(among).map((each) => Number(value(each)))),
  ])
  return Object.fromEntries(scores) as Scores
}

function reciprocalRank({ rank }: QuestionResult): number {
  return rank === null ? 0 : 1 / rank
}

function mean(numbers: number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

/** What changed: settings, and outcomes of questions that are in both, worse outcomes first. */
export function compare(before: Evaluation, now: Evaluation) {
  const settings = Object.entries(now.settings).flatMap(([name, to]) => {
    const from = before.settings[name as keyof Settings]
    return from === to ? [] : [`${name.replaceAll('_', ' ')}: ${from ?? 'none'} → ${to ?? 'none'}`]
  })
  const earlier = new Map(before.outcomes.map((outcome) => [outcome.question, outcome]))
  const questions = now.outcomes.flatMap((outcome) => {
    const old = earlier.get(outcome.question)
    return old?.answerable === outcome.answerable ? toChanges(old, outcome) : []
  })
  const sorted = questions.toSorted((one, other) => one.direction - other.direction)
  return { at: before.at, scores: before.scores, settings, questions: sorted }
}

interface Grade {
  words: string
  value: number
}

/** `direction`: 1 better, -1 worse. `what`: `place 2 → place 1`. */
function toChanges(before: QuestionResult, now: QuestionResult) {
  return [toPlace, toGrade].flatMap((grade) => {
    const [old, current] = [grade(before), grade(now)]
    const direction = Math.sign(current.value - old.value)
    const what = `${old.words} → ${current.words}`
    return direction === 0 ? [] : [{ question: now.question, direction, what }]
  })
}

function toPlace(outcome: QuestionResult): Grade {
  const words = outcome.rank === null ? 'not found' : `place ${outcome.rank}`
  return { words, value: reciprocalRank(outcome) }
}

/** If the documentation has no answer, a refusal is best. */
function toGrade({ answerable, answered, cited }: QuestionResult): Grade {
  if (answered === null) return { words: '', value: 0 }
  if (answered === 'answered' && answerable)
    return cited ? { words: 'cites the page', value: 1 } : { words: 'cites other pages', value: 0 }
  const refused = answerable ? -1 : 1
  const values = { failed: -2, refused, pointed: refused / 2, answered: 0 }
  return { words: answered, value: values[answered] }
}

export function printEvaluation(now: Evaluation, before: Evaluation | null): void {
  const answerable = now.outcomes.filter(isAnswerable).length
  const { page_count, last_sync, model, prompt_version, embeddings, embedded } = now.settings
  const size = `${now.outcomes.length} questions, ${answerable} answerable`
  printLine(`${now.project}: ${size}; ${page_count} pages, sync ${last_sync ?? 'never'}`)
  const vectors = embeddings ? `${embeddings} (${embedded} sections)` : 'none'
  printLine(`model ${model}, prompt ${prompt_version}, embeddings ${vectors}\n`)
  const rows = figures.flatMap((figure) => {
    const [value, earlier] = [now.scores[figure.name], before?.scores[figure.name] ?? null]
    if (value === null) return []
    const cells = [figure.label, format(value, figure)]
    if (!before) return [cells]
    if (earlier === null) return [[...cells, '–', '']]
    return [[...cells, format(earlier, figure), formatChange(value - earlier, figure)]]
  })
  printTable(['', 'NOW', ...(before ? ['BEFORE', 'CHANGE'] : [])], rows)
  if (!before) return
  const { at, settings, questions } = compare(before, now)
  printLine(`\nCompared with ${at}.`)
  if (before.questions !== now.questions)
    printLine('The questions have changed since. Those in both files are compared below.')
  for (const setting of settings) printLine(setting)
  printLine(questions.length === 0 ? 'No question changed.' : '')
  if (questions.length === 0) return
  const toRow = ({ direction, question, what }: (typeof questions)[number]) => [
    direction > 0 ? 'better' : 'worse',
    question,
    what,
  ]
  printTable(['', 'QUESTION', 'BEFORE → NOW'], questions.map(toRow))
}

function format(value: number, { isPercent }: Figure): string {
  return isPercent === false ? value.toFixed(3) : `${(value * 100).toFixed(1)} %`
}

function formatChange(change: number, figure: Figure): string {
  if (Math.abs(change) < 0.0005) return '='
  return `${change > 0 ? '+' : '−'}${format(Math.abs(change), figure)}`
}
