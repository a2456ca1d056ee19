// Manuals whose labels are not in the repository: {name}/sealed.json has their questions in plain text and hashes of their answers and phrases. Only
// the benchmarks that judge them import this file (fits.test.ts).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readManualUnits, toKey } from '../agreement/manual-units.ts'
import type { BenchOptions } from '../bench-options.ts'
import { chooseManuals, judgedManuals, type Manual } from '../site/manuals.ts'
import {
  type Holds,
  type ManualQuestion,
  readQuestions,
  readUnanswerable,
  toHolds,
  toPlain,
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
  {
    name: 'udo',
    package: 'udo-doc-de',
    root: '/usr/share/doc/udo-doc-de/html',
    indexPages: [],
    language: 'de',
    closed: true,
  },
  {
    name: 'freedombox',
    package: 'freedombox-doc-es',
    root: '/usr/share/freedombox/manual/es',
    // All pages in one, twice, and release notes in English.
    indexPages: ['{Manual,freedombox-manual,ReleaseNotes}.part.html'],
    language: 'es',
    closed: true,
  },
]

/** A question with its author's labels. `pages` is empty if the manual does not answer it. */
export type LabeledQuestion = Pick<ManualQuestion, 'question' | 'pages' | 'phrases'>

export interface SealedFile {
  salt: string
  questions: { question: string; hashes: string[]; phrases?: SealedPhrase[] | undefined }[]
}

/** The length is known, so that a text has only as many parts to hash as it has characters. */
interface SealedPhrase {
  length: number
  hash: string
}

export interface JudgedQuestion extends ManualQuestion {
  /** Absent if nobody has chosen phrases. */
  holds?: Holds | undefined
}

export interface JudgedQuestions {
  questions: JudgedQuestion[]
  unanswerable: UnanswerableQuestion[]
}

/** The label of a question that the manual does not answer. */
const unanswerable = 'unanswerable'

/** What is sealed in place of the phrase of such a question, with the length of another one's. */
const noPhrase = 'no phrase'

/**
 * `texts`: plain texts of the pages and sections of the manual. Throws if a label matches none of them, or a phrase none of its labels, so
 * that a typo is not sealed.
 */
export function seal(
  labeled: LabeledQuestion[],
  texts: ReadonlyMap<string, string>,
  salt: string,
): SealedFile {
  const lengths = labeled.flatMap(({ phrases = [] }) => phrases.map((phrase) => toPlain(phrase).length))
  const questions = labeled.map(({ question, pages, phrases = [] }, at) => {
    const wrong = pages.find((page) => !texts.has(page))
    if (wrong !== undefined) throw new Error(`"${question}": the manual has no ${wrong}`)
    const absent = phrases
      .map(toPlain)
      .find((phrase) => !pages.some((page) => texts.get(page)!.includes(phrase)))
    if (absent !== undefined) throw new Error(`"${question}": no labeled section has ${absent}`)
    const answers = pages.length > 0 ? pages : [unanswerable]
    const sealPhrase = (length: number, phrase: string) => ({ length, hash: hash(salt, question, phrase) })
    const sealed = phrases.map(toPlain).map((phrase) => sealPhrase(phrase.length, phrase))
    const length = lengths[at % lengths.length]
    return {
      ...{ question, hashes: answers.map((answer) => hash(salt, question, answer)).toSorted() },
      ...(length && { phrases: phrases.length > 0 ? sealed : [sealPhrase(length, noPhrase)] }),
    }
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
  for (const [at, { question, hashes, phrases }] of questions.entries()) {
    const id = String(at + 1)
    const isLabel = (answer: string) => hashes.includes(hash(salt, question, answer))
    const pages = [...keys].filter(isLabel)
    const holds = phrases && ((plain: string) => phrases.some((phrase) => isIn(plain, phrase)))
    const isIn = (plain: string, { length, hash: sealed }: SealedPhrase) =>
      Array.from(plain, (_, start) => plain.slice(start, start + length)).some(
        (part) => hash(salt, question, part) === sealed,
      )
    if (pages.length === hashes.length) judged.questions.push({ id, question, pages, holds })
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
  if (sealedManuals.includes(manual)) {
    const keys = new Set(readTexts(manual).keys())
    return judge(JSON.parse(readFileSync(toSealedPath(manual), 'utf8')), keys)
  }
  const questions = readQuestions(manual).map((each) => ({
    ...each,
    holds: each.phrases && toHolds(each.phrases),
  }))
  return { questions, unanswerable: readUnanswerable(manual) }
}

export const toSealedPath = ({ name }: Manual) => new URL(`${name}/sealed.json`, import.meta.url)

/** Plain texts of the manual's pages and sections. */
export function readTexts(manual: Manual): Map<string, string> {
  const texts = new Map<string, string>()
  for (const unit of readManualUnits(manual)) {
    const section = toKey(manual, unit)
    for (const key of new Set([section, section.split('#')[0]!]))
      texts.set(key, (texts.get(key) ?? '') + toPlain(unit.text))
  }
  return texts
}

function hash(salt: string, question: string, answer: string): string {
  return createHash('sha256').update([salt, question, answer].join('\0')).digest('hex')
}
