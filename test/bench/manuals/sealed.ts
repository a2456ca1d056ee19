// Manuals whose labels are not in the repository: {name}/sealed.json has their questions in plain text and hashes of their answers. Only
// the benchmarks that judge them import this file (fits.test.ts).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readManualUnits, toKey } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import { chooseManuals, judgedManuals, type Manual } from '../site/manuals.ts'
import {
  type ManualQuestion,
  readQuestions,
  readUnanswerable,
  type UnanswerableQuestion,
} from './manual-questions.ts'

export const sealedManuals: readonly Manual[] = [
  {
    name: 'valgrind',
    package: 'valgrind',
    root: '/usr/share/doc/valgrind/html',
    // Release notes, which repeat every option and message, so that no label could name all of them.
    indexPages: ['dist.news*.html'],
    language: 'en',
    closed: true,
  },
  {
    name: 'debian-faq',
    package: 'debian-faq-fr',
    root: '/usr/share/doc/debian/FAQ/fr',
    indexPages: [],
    language: 'fr',
    closed: true,
  },
]

/** A question with its author's labels. `pages` is empty if the manual does not answer it. */
export type LabeledQuestion = Pick<ManualQuestion, 'question' | 'pages'>

export interface SealedFile {
  salt: string
  questions: { question: string; hashes: string[] }[]
}

export interface JudgedQuestions {
  questions: ManualQuestion[]
  unanswerable: UnanswerableQuestion[]
}

/** The label of a question that the manual does not answer. */
const unanswerable = 'unanswerable'

/** `keys`: pages and sections of the manual. Throws if a label matches none of them, so that a typo is not sealed. */
export function seal(labeled: LabeledQuestion[], keys: ReadonlySet<string>, salt: string): SealedFile {
  const questions = labeled.map(({ question, pages }) => {
    const wrong = pages.find((page) => !keys.has(page))
    if (wrong !== undefined) throw new Error(`"${question}": the manual has no ${wrong}`)
    const answers = pages.length > 0 ? pages : [unanswerable]
    return { question, hashes: answers.map((answer) => hash(salt, question, answer)).toSorted() }
  })
  // Sorted by hash, because the author's order could reveal the unanswerable questions.
  return { salt, questions: questions.toSorted((a, b) => (a.hashes[0]! < b.hashes[0]! ? -1 : 1)) }
}

/**
 * Hashes each page and section that a result can name. Throws if a hash matches none of them: in another state of the
 * manual, or after a change of how sections are named, figures would belong to other labels.
 */
export function judge({ salt, questions }: SealedFile, keys: ReadonlySet<string>): JudgedQuestions {
  const judged: JudgedQuestions = { questions: [], unanswerable: [] }
  for (const [at, { question, hashes }] of questions.entries()) {
    const id = String(at + 1)
    const isLabel = (answer: string) => hashes.includes(hash(salt, question, answer))
    const pages = [...keys].filter(isLabel)
    if (pages.length === hashes.length) judged.questions.push({ id, question, pages })
    else if (isLabel(unanswerable)) judged.unanswerable.push({ id, question })
    else throw new Error(`"${question}": its labels are of another state of the manual`)
  }
  return judged
}

/** Manuals for the benchmarks of questions and answers. Closed and sealed manuals are included only with `--closed`. */
export function manualsToJudge({ closed, only }: BenchOptions): readonly Manual[] {
  return chooseManuals([...judgedManuals(closed), ...(closed ? sealedManuals : [])], only)
}

export function readJudged(manual: Manual): JudgedQuestions {
  if (!sealedManuals.includes(manual))
    return { questions: readQuestions(manual), unanswerable: readUnanswerable(manual) }
  return judge(JSON.parse(readFileSync(toSealedPath(manual), 'utf8')), readKeys(manual))
}

export const toSealedPath = ({ name }: Manual) => new URL(`${name}/sealed.json`, import.meta.url)

export function readKeys(manual: Manual): Set<string> {
  const sections = readManualUnits(manual).map((unit) => toKey(manual, unit))
  return new Set([...sections, ...sections.map((section) => section.split('#')[0]!)])
}

function hash(salt: string, question: string, answer: string): string {
  return createHash('sha256').update([salt, question, answer].join('\0')).digest('hex')
}
