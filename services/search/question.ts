// What kind of query a reader has typed: a name to look up, or a question in their own words. Names are found by their
// letters, and an endpoint for meanings is not asked about them at each keystroke.
import { toWords } from '../index/words.ts'
import { stopWords } from './stop-words.ts'

/** Of other languages than that of the stop words, long queries only are taken for questions. */
const fewestWords = 4
const surelyWords = 6
const marks = /[?？]\s*$/u

/**
 * `how to parse TOML`, `file that vanishes after it is closed`, `why so slow?` are questions; `asyncio.create_task`,
 * `CREATE FOREIGN DATA WRAPPER` and `abstract base class` are names.
 */
export function isQuestion(q: string): boolean {
  const words = toWords(q)
  if (words.length >= surelyWords || marks.test(q)) return words.length > 1
  return words.length >= fewestWords && words.some(({ text }) => stopWords.has(text.toLowerCase()))
}
