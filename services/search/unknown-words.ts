// The words of a question that a project's pages do not hold: a sign that it is about something else.
import { termsOf } from '../index/analyze.ts'
import { stem } from '../index/stem.ts'
import { toWords } from '../index/words.ts'
import { stopWordsOf } from './stop-words.ts'
import { countOf, type Vocabulary } from './vocabulary.ts'

/**
 * Folded, in their order, each once. A word is known in another form too, and one written with a hyphen or a slash by
 * its parts: `git-style` where there are `git` and `style`. Numbers, runs of ideographs and stop
 * words are none.
 */
export function unknownWords(q: string, vocabulary: Vocabulary): string[] {
  const stopWords = stopWordsOf(q)
  const isKnown = (term: string) => countOf(vocabulary, term) > 0 || countOf(vocabulary, stem(term)) > 0
  const words = toWords(q).flatMap(({ text, isCjk }) => {
    const [whole] = isCjk || !/\p{L}/u.test(text) ? [] : termsOf(text)
    if (whole === undefined || stopWords.has(whole) || isKnown(whole)) return []
    const parts = text.split(/[-/]/u).flatMap((part) => termsOf(part).slice(0, 1))
    return parts.length > 1 && parts.every(isKnown) ? [] : [whole]
  })
  return [...new Set(words)]
}
