// `lectern eval`: asks the questions in a JSON Lines file (`{"question": "…", "pages": ["guide/install.html"]}`), scores the answers,
// saves the results next to the file, and compares them with the last evaluation.
import { createHash } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { isWhole } from './ask.ts'
import { type CliClient, type JsonObject, readPermissions } from './client.ts'
import type { Options } from './command.ts'
import { printJson } from './print.ts'
import {
  type Answered,
  compare,
  computeScores,
  type Evaluation,
  printEvaluation,
  type QuestionResult,
  toSettings,
} from './scores.ts'

export async function evaluate(
  client: CliClient,
  slug: string,
  path: string,
  { searchOnly = false, results = `${path.replace(/\.jsonl?$/i, '')}.results.jsonl`, json }: Options,
): Promise<void> {
  const bytes = await readFile(path).catch((cause) => {
    throw new Error(`${path}: it cannot be read (${cause.code})`)
  })
  const questions = readQuestions(bytes.toString(), path)
  const setup = await client.call(ProjectService.method.getAnswerSetup, { slug })
  if (!searchOnly) await checkMayDelete(client, slug)
  const outcomes = await askAll(questions, (question) => readOutcome(client, slug, question, searchOnly))
  const now: Evaluation = {
    at: new Date().toISOString(),
    project: slug,
    questions: createHash('sha256').update(bytes).digest('hex'),
    search_only: searchOnly,
    settings: toSettings(setup),
    scores: computeScores(outcomes),
    outcomes,
  }
  const before = await readLast(results, now)
  await appendFile(results, `${JSON.stringify(now)}\n`)
  if (!json) return printEvaluation(now, before)
  printJson(JSON.parse(JSON.stringify({ ...now, comparison: before && compare(before, now) })))
}

/**
 * Asks two questions at a time: search works on one while the model answers the other. Returns answers in the order of the
 * questions. Rejects with the first failure, or on Ctrl-C, after open turns have ended: only then can their chats be
 * deleted.
 */
async function askAll(
  questions: Question[],
  ask: (question: Question) => Promise<QuestionResult>,
): Promise<QuestionResult[]> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(new Error('stopped; nothing was saved')))
  const outcomes: QuestionResult[] = []
  const waiting = questions.entries()
  const work = async () => {
    for (const [index, question] of waiting) {
      if (stop.signal.aborted) return
      outcomes[index] = await ask(question)
      const done = Object.keys(outcomes).length
      const progress = done < questions.length ? `${done} of ${questions.length} questions` : ''
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${progress}`)
    }
  }
  await Promise.all([work(), work()].map((worker) => worker.catch((error) => stop.abort(error))))
  stop.signal.throwIfAborted()
  return outcomes
}

/** The last evaluation of the same project and kind, or null. Ignores broken lines. */
async function readLast(path: string, { project, search_only }: Evaluation): Promise<Evaluation | null> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const evaluations = text.split('\n').map(readObject)
  const last = evaluations.findLast(
    (each) =>
      each?.project === project &&
      each.search_only === search_only &&
      each.scores &&
      Array.isArray(each.outcomes),
  )
  return (last ?? null) as Evaluation | null
}

/** Pages that are scored, and sections to request: a search returns at most three sections of a page. */
const pagesCounted = 10
const sectionLimit = pagesCounted * 3

/** Asks one question, and deletes the chat that this created. */
export async function readOutcome(
  client: CliClient,
  slug: string,
  { question, pages }: Question,
  searchOnly: boolean,
): Promise<QuestionResult> {
  const answerable = pages.length > 0
  const isExpected = (url: string) => pages.some((page) => isPage(url, page))
  let rank: number | null = null
  if (answerable) {
    const search = { slug, q: question, limit: sectionLimit, uncounted: true }
    const { results } = await client.call(SearchService.method.search, search)
    const urls = new Set<string>(results.map(({ url }: JsonObject) => url.replace(/#.*$/, '')))
    rank = [...urls].slice(0, pagesCounted).findIndex(isExpected) + 1 || null
  }
  if (searchOnly) return { question, answerable, rank, answered: null, cited: null }
  const final = await readAnswer(client, slug, question)
  const answered: Answered = final && isWhole(final) ? (final.outcome ?? 'answered') : 'failed'
  const isComparable = answerable && answered === 'answered'
  const cited = isComparable ? final!.ai_message.sources.some(({ url }: JsonObject) => isExpected(url)) : null
  return { question, answerable, rank, answered, cited }
}

/** Returns null if the stream ended before the turn's final event. */
async function readAnswer(client: CliClient, slug: string, message: string): Promise<JsonObject | null> {
  const { sendMessage, deleteChat } = ChatService.method
  let chat: string | undefined
  let last: JsonObject | null = null
  try {
    for await (const { event } of client.stream(sendMessage, { slug, message, metadata: 'evaluation' })) {
      const { token, final } = event
      chat ||= (token ?? final)?.chat_uuid
      last = final ?? last
    }
    return last
  } finally {
    if (chat) await client.call(deleteChat, { slug, chat_uuid: chat })
  }
}

/** Checks the key before the first question: without the permission, chats would remain. */
async function checkMayDelete(client: CliClient, slug: string): Promise<void> {
  const permissions = await readPermissions(client, slug)
  if (permissions.includes('chats_delete')) return
  throw new Error(
    'the key needs the permission chats_delete, to delete the chats of the evaluation; --search-only does not',
  )
}

export interface Question {
  question: string
  /** Pages with the answer: addresses, or endings of their paths. Empty if the documentation does not answer the question. */
  pages: string[]
}

/** The maximum length of a search query. */
const maxLength = 500

/** Parses the file. Ignores empty lines and unknown fields. Errors name the line. */
export function readQuestions(text: string, path: string): Question[] {
  const questions: Question[] = []
  const lines = new Map<string, number>()
  const rows = text.replace(/^\ufeff/, '').split('\n')
  for (const [index, line] of rows.entries()) {
    if (line.trim() === '') continue
    const given = readObject(line)
    const question = String(given?.question).trim()
    const first = lines.get(question)
    const fault = findFault(given) ?? (first !== undefined && `the question is that of line ${first}`)
    if (fault) throw new Error(`${path}:${index + 1}: ${fault}`)
    lines.set(question, index + 1)
    questions.push({ question, pages: given!.pages as string[] })
  }
  if (questions.length === 0) throw new Error(`${path}: it has no questions`)
  return questions
}

function findFault(given: Record<string, unknown> | null): string | null {
  if (given === null) return 'it is not a JSON object'
  const { question, pages } = given
  if (typeof question !== 'string' || question.trim() === '') return '"question" must be a text'
  if (question.length > maxLength) return `"question" must have at most ${maxLength} characters`
  if (!Array.isArray(pages)) return '"pages" must be a list, empty where there is no answer'
  const isWrong = (page: unknown) => typeof page !== 'string' || toEnding(page) === ''
  return pages.some(isWrong) ? '"pages" takes addresses of pages, or endings of their paths' : null
}

/** Null for a line that is not a JSON object. */
function readObject(line: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Whether an address is that of an expected page. Ignores fragments and trailing slashes.
 *
 *   https://docs.example.org/3/guide/install.html#pip ← "guide/install.html" or the whole address; not "stall.html"
 */
export function isPage(url: string, expected: string): boolean {
  const page = toEnding(url.replace(/[?].*$/, ''))
  const ending = toEnding(expected)
  return page === ending || page.endsWith(`/${ending}`)
}

function toEnding(address: string): string {
  const path = address.trim().replace(/#.*$/, '')
  return path.replace(/^\/+|\/+$/g, '')
}
