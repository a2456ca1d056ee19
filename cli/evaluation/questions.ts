// The questions of an evaluation: a file of JSON lines, `{"question": "…", "pages": ["guide/install.html"]}`.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

export interface Question {
  question: string
  /** Pages that hold the answer: addresses, or endings of their paths. Empty: the documentation does not answer it. */
  pages: string[]
}

interface QuestionFile {
  questions: Question[]
  /** SHA-256 of the file, hex. */
  hash: string
}

/** A fault of the file, in one sentence that names the line. */
export class QuestionError extends Error {}

/** As long as a search may be. */
const maxLength = 500

/** Throws QuestionError where the file cannot be read, is empty, or a line is wrong. */
export async function openQuestions(path: string): Promise<QuestionFile> {
  const bytes = await readFile(path).catch((cause) => {
    throw new QuestionError(`${path}: it cannot be read (${cause.code})`)
  })
  return {
    questions: readQuestions(bytes.toString(), path),
    hash: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** Empty lines and unknown fields are ignored. Throws QuestionError. */
export function readQuestions(text: string, path: string): Question[] {
  const seen = new Map<string, number>()
  const questions: Question[] = []
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const wrong = (sentence: string) => new QuestionError(`${path}:${index + 1}: ${sentence}`)
    const fault = (sentence: string) => {
      throw wrong(sentence)
    }
    const question = readQuestion(readJson(line) ?? fault('it is not a JSON object'), fault)
    const first = seen.get(question.question)
    if (first !== undefined) fault(`the question is that of line ${first}`)
    seen.set(question.question, index + 1)
    questions.push(question)
  }
  if (questions.length === 0) throw new QuestionError(`${path}: there is no question in it`)
  return questions
}

function readJson(line: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function readQuestion(given: Record<string, unknown>, fault: (sentence: string) => never): Question {
  const { question, pages } = given
  if (typeof question !== 'string' || question.trim() === '') return fault('"question" must be a text')
  if (question.length > maxLength) return fault(`"question" must have at most ${maxLength} characters`)
  if (!Array.isArray(pages)) return fault('"pages" must be a list, empty where there is no answer')
  const isWrong = (page: unknown) => typeof page !== 'string' || endingOf(page) === ''
  if (pages.some(isWrong)) return fault('"pages" takes addresses of pages, or endings of their paths')
  return { question: question.trim(), pages }
}

/**
 * Whether an address is that of an expected page. Fragments and a slash at the end do not count.
 *
 *   https://docs.example.org/3/guide/install.html#pip ← "guide/install.html" or the whole address; not "stall.html"
 */
export function isPage(url: string, expected: string): boolean {
  const page = endingOf(url.replace(/[?].*$/, ''))
  const ending = endingOf(expected)
  return page === ending || page.endsWith(`/${ending}`)
}

function endingOf(address: string): string {
  return address
    .trim()
    .replace(/#.*$/, '')
    .replace(/^\/+|\/+$/g, '')
}
