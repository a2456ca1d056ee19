// The words of a question that tell what it is about.
import { fold } from '../index/fold.ts'
import { toWords } from '../index/words.ts'
import { stopWords } from './stop-words.ts'

/** Folded, in their order, stop words left out. */
export function tellingWords(question: string): string[] {
  return toWords(question)
    .map(({ text }) => fold(text).replace(/^[.'":]+|[.'":]+$/gu, ''))
    .filter((word) => !stopWords.has(word))
}
