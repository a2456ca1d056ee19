// The questions about a manual, in a folder of its name: questions.json, which it answers, unanswerable.json, and within.json, which
// it does not answer either, although they use its subject and words.
// Written by people who had seen neither Lectern's code nor its results.
import { existsSync, readFileSync } from 'node:fs'
import type { Manual } from '../site/manuals.ts'

export interface ManualQuestion {
  id: string
  question: string
  /** The answers: paths in the manual, `page` for any section of it or `page#anchor` for one. At least one. */
  pages: string[]
  /** An answer without a language model quotes one of them, ignoring white space and case. Absent if nobody has chosen any yet. */
  phrases?: string[]
}

export interface UnanswerableQuestion {
  id: string
  question: string
}

/** Empty if nobody has written any yet. */
export function readQuestions(manual: Manual): ManualQuestion[] {
  return read(manual, 'questions.json')
}

export function readUnanswerable(manual: Manual): UnanswerableQuestion[] {
  return read(manual, 'unanswerable.json')
}

/** No fit reads them, so they judge every manual. */
export function readWithin(manual: Manual): UnanswerableQuestion[] {
  return read(manual, 'within.json')
}

/** Whether a plain text has one of a question's phrases. */
export type Holds = (plain: string) => boolean

export function toHolds(phrases: string[]): Holds {
  return (plain) => phrases.some((phrase) => plain.includes(toPlain(phrase)))
}

/** Without white space, case and code marks. */
export function toPlain(text: string): string {
  return text.replace(/[\s`\\]+/gu, '').toLowerCase()
}

function read<Entry>({ name }: Manual, file: string): Entry[] {
  const path = new URL(`${name}/${file}`, import.meta.url)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
}

/** Whether a result, a path in the manual with its section's anchor, matches a label. */
export function isRight(result: string, labels: readonly string[]): boolean {
  return labels.includes(result) || labels.includes(result.split('#')[0]!)
}
