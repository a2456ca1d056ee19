// What kind of query a reader has typed: a name to look up, or a question in their own words. Names are found by their
// letters, and an endpoint for meanings is not asked about them at each keystroke.
import { toWords } from '../index/words.ts'
import { stopWordsOf } from './stop-words.ts'

/** A query of so many words is a question where one of them carries no subject; one of more is in any case. */
const minWords = 4
const surelyWords = 6
const marks = /[?？]\s*$/u

/**
 * `how to parse TOML`, `file that vanishes after it is closed`, `why so slow?` are questions; `asyncio.create_task`,
 * `CREATE FOREIGN DATA WRAPPER` and `abstract base class` are names.
 */
export function isQuestion(q: string): boolean {
  const words = toWords(q)
  if (words.length >= surelyWords || marks.test(q)) return words.length > 1
  if (words.length < minWords) return false
  const stopWords = stopWordsOf(q)
  return words.some(({ text }) => stopWords.has(text.toLowerCase()))
}
