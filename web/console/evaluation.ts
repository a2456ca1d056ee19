// An evaluation in the browser, with the questions and the metrics of `lectern eval`. The questions stay in this tab until it
// is closed or reloaded; they are kept in the file for `lectern eval`. The browser stores the figures of the last runs.
import { computeScores, type QuestionResult } from '../../cli/scores.ts'
import { createStore } from '../components/store.ts'
import { readTrace } from './chats.ts'
import type { ExplainedSearch } from './reader-rows.ts'
import { api } from './session.ts'
import { projectPath } from './sources.ts'

export interface Question {
  question: string
  /** Addresses, or ends of their paths. Empty if the documentation does not answer the question. */
  pages: string[]
}

/** JSON lines, as `lectern eval` reads them. */
export const questionText = createStore('')

export function addQuestion(question: string): void {
  const text = questionText.value.trimEnd()
  questionText.value = `${text}${text === '' ? '' : '\n'}${JSON.stringify({ question, pages: [] })}\n`
}

/** Throws an error that names the line. */
export function readQuestions(text: string): Question[] {
  const questions = text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const { question, pages } = readObject(line)
    if (typeof question !== 'string' || question.trim() === '')
      throw new Error(`Line ${at + 1}: “question” must be a text.`)
    if (!Array.isArray(pages) || pages.some((page) => typeof page !== 'string'))
      throw new Error(`Line ${at + 1}: “pages” must be a list of texts, empty where there is no answer.`)
    return [{ question: question.trim(), pages }]
  })
  if (questions.length === 0) throw new Error('There is no question yet.')
  return questions
}

function readObject(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

const toPath = (address: string) =>
  address
    .trim()
    .replace(/#.*$/, '')
    .replace(/^\/+|\/+$/g, '')

/** Whether the address is that of an expected page, or ends with it after a slash. */
export function isPage(url: string, expected: string): boolean {
  const page = toPath(url.replace(/[?].*$/, ''))
  const ending = toPath(expected)
  return page === ending || page.endsWith(`/${ending}`)
}

export interface Evaluation {
  outcomes: QuestionResult[]
  scores: ReturnType<typeof computeScores>
}

/** Figures of an earlier run. */
export interface PastRun {
  at: string
  /** Hash of the questions and of how they were asked. Only runs with the same hash are comparable. */
  set: string
  scores: Evaluation['scores']
}

const maxRuns = 50
const historyName = (slug: string) => `lectern-evaluations-${slug}`

/** Oldest first. */
export function readHistory(slug: string): PastRun[] {
  try {
    return JSON.parse(localStorage.getItem(historyName(slug)) ?? '[]')
  } catch {
    return []
  }
}

/** Returns the runs of the same questions, this one last. */
export function keepRun(
  slug: string,
  questions: Question[],
  searchOnly: boolean,
  { scores }: Evaluation,
): PastRun[] {
  const run = { at: new Date().toISOString(), set: toSetName(questions, searchOnly), scores }
  const runs = [...readHistory(slug), run].slice(-maxRuns)
  try {
    localStorage.setItem(historyName(slug), JSON.stringify(runs))
  } catch {
    // Without storage, no trend is shown.
  }
  return runs.filter(({ set }) => set === run.set)
}

/** A short hash (FNV-1a): the questions themselves are not stored. */
function toSetName(questions: Question[], searchOnly: boolean): string {
  let hash = 0x811c9dc5
  for (const character of JSON.stringify([questions, searchOnly]))
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return `${questions.length}-${(hash >>> 0).toString(36)}`
}

interface Run {
  slug: string
  questions: Question[]
  searchOnly: boolean
  signal: AbortSignal
  onProgress(done: number): void
}

/** Asks two questions at a time, as the command does. */
export async function evaluate({
  slug,
  questions,
  searchOnly,
  signal,
  onProgress,
}: Run): Promise<Evaluation> {
  const outcomes: QuestionResult[] = []
  const waiting = questions.entries()
  let done = 0
  const work = async () => {
    for (const [at, question] of waiting) {
      signal.throwIfAborted()
      outcomes[at] = await readOutcome(slug, question, searchOnly, signal)
      onProgress(++done)
    }
  }
  await Promise.all([work(), work()])
  return { outcomes, scores: computeScores(outcomes) }
}

/** Ten pages count, each with at most three results. */
const pagesCounted = 10
const searchLimit = pagesCounted * 3

async function readOutcome(
  slug: string,
  { question, pages }: Question,
  searchOnly: boolean,
  signal: AbortSignal,
): Promise<QuestionResult> {
  const answerable = pages.length > 0
  const isExpected = (url: string) => pages.some((page) => isPage(url, page))
  let rank: number | null = null
  if (answerable) {
    const query = { q: question, limit: searchLimit }
    const { results } = await api.get<ExplainedSearch>(projectPath(slug, 'search/explain/'), query, signal)
    const urls = [...new Set(results.map(({ url }) => url.replace(/#.*$/, '')))].slice(0, pagesCounted)
    rank = urls.findIndex(isExpected) + 1 || null
  }
  if (searchOnly) return { question, answerable, rank, answered: null, cited: null }
  const { answered, sources } = await readAnswer(slug, question)
  const cited = answerable && answered === 'answered' ? sources.some(({ url }) => isExpected(url)) : null
  return { question, answerable, rank, answered, cited }
}

const whole = ['stop', 'length', 'content_filter']

/** Not aborted midway, so that the conversation is always deleted. */
async function readAnswer(
  slug: string,
  message: string,
): Promise<{ answered: NonNullable<QuestionResult['answered']>; sources: { url: string }[] }> {
  const body = { message, metadata: 'evaluation' }
  const { chat_uuid, ai_message } = await api.post<{
    chat_uuid: string
    ai_message: { messageId: string; sources: { url: string }[]; stopReason: string } | null
  }>(projectPath(slug, 'chats/'), body)
  try {
    if (!ai_message || !whole.includes(ai_message.stopReason)) return { answered: 'failed', sources: [] }
    const trace = await readTrace(slug, ai_message.messageId)
    return { answered: trace?.outcome ?? 'answered', sources: ai_message.sources }
  } finally {
    await api.delete(projectPath(slug, `chats/${chat_uuid}/`))
  }
}
