// Finds other forms of a question's words in the project's vocabulary, by the stemmer of the question's language, splits
// compounds, and finds words that the vocabulary does not contain.
import { readTerms, stem, toWords } from '../index/analyze.ts'
import { findList, findStopWords } from '../stop-words.ts'
import { findEnd, findPlace, readCount, type Vocabulary } from './vocabulary.ts'

export type Forms = ReturnType<typeof createForms>

type Stemmer = (word: string) => string

/** Languages whose stemmers work without accents, which terms lack. */
const languages =
  'danish dutch finnish french german hungarian italian norwegian portuguese romanian russian spanish swedish turkish'
const stemmers = new Map<string, Stemmer>()
for (const language of languages.split(' '))
  stemmers.set(language, (await import(`@orama/stemmers/${language}`)).stemmer)

/** Maximum letters of an ending. */
const maxEnding = 6
/** Maximum terms examined for a word. Only short prefixes have more. */
const maxExamined = 1_000
/** Minimum letters of a compound's part, maximum letters of a compound, and maximum words per question. */
const parts = { min: 4, max: 40, words: 4 }
const isPlain = /^\p{L}{3,}$/u

export function createForms(q: string, { terms }: Vocabulary) {
  const stemmer = stemmers.get(findList(q).language)
  const known = new Map<string, string[]>()
  const compounds = new Map<string, [string, string] | null>()

  function find(word: string): string[] {
    if (stemmer === undefined || !isPlain.test(word)) return []
    const root = stemmer(word)
    // The stemmer may change the last letter.
    const start = root.slice(0, Math.max(2, root.length - 1))
    const from = findPlace(terms, start)
    return terms
      .slice(from, Math.min(findEnd(terms, start), from + maxExamined))
      .filter(
        (term) => term.length <= root.length + maxEnding && isPlain.test(term) && stemmer(term) === root,
      )
  }

  /** Terms of the project that are forms of the word, including itself. None in English, whose stems are indexed. */
  function of(word: string): string[] {
    const forms = known.get(word) ?? find(word)
    known.set(word, forms)
    return forms
  }

  function findParts(word: string): [string, string] | null {
    if (word.length > parts.max || !isPlain.test(word)) return null
    for (let at = word.length - parts.min; at >= parts.min; at--) {
      const [first, last] = [word.slice(0, at), word.slice(at)]
      if (of(last).length > 0 && of(first).length > 0) return [first, last]
    }
    return null
  }

  return {
    of,
    /** `wartungsaufgaben` → `wartungs`, `aufgaben`, if the project has forms of both. Null otherwise. */
    split(word: string): [string, string] | null {
      if (compounds.size < parts.words && !compounds.has(word)) compounds.set(word, findParts(word))
      return compounds.get(word) ?? null
    },
  }
}

/**
 * The words of a question that the project's pages do not contain, folded, in order, without duplicates: a sign that the
 * question is about another subject. A word is known if another form is, a compound if both parts are, and a word with hyphens or
 * slashes if its parts are: `git-style` if `git` and `style` are. Skips numbers, CJK text and stop words.
 */
export function unknownWords(q: string, vocabulary: Vocabulary): string[] {
  const stopWords = findStopWords(q)
  const forms = createForms(q, vocabulary)
  const isKnown = (term: string) =>
    [term, stem(term)].some((form) => readCount(vocabulary, form) > 0) || forms.of(term).length > 0
  const words = toWords(q).flatMap(({ text, isCjk }) => {
    const [whole] = isCjk || !/\p{L}/u.test(text) ? [] : readTerms(text)
    if (whole === undefined || stopWords.has(whole) || isKnown(whole) || forms.split(whole)) return []
    const parts = text.split(/[-/]/u).flatMap((part) => readTerms(part).slice(0, 1))
    return parts.length > 1 && parts.every(isKnown) ? [] : [whole]
  })
  return [...new Set(words)]
}
