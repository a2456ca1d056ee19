// What a word of a question may be called on the project's pages: its other forms, by the stemmer of the question's language,
// and the two words that it is made of; and the words of a question that the pages do not hold at all.
import { readTerms, stem, toWords } from '../index/analyze.ts'
import { findLanguage, findStopWords } from '../stop-words.ts'
import { findEnd, findPlace, readCount, type Vocabulary } from './vocabulary.ts'

export interface Forms {
  /** Terms of the project that are forms of the word; itself among them if pages hold it. None in English, whose stems are indexed. */
  of(word: string): string[]
  /** `wartungsaufgaben` → `wartungs`, `aufgaben`, where the project has forms of both; null for other words. */
  split(word: string): [string, string] | null
}

type Stemmer = (word: string) => string

/** Those whose stemmers do not need the accents, which terms lack. */
const languages =
  'danish dutch finnish french german hungarian italian norwegian portuguese romanian russian spanish swedish turkish'
const stemmers = new Map<string, Stemmer>()
for (const language of languages.split(' '))
  stemmers.set(language, (await import(`@orama/stemmers/${language}`)).stemmer)

/** Letters of an ending, at most. */
const maxEnding = 6
/** Terms that are looked at for a word: more have the same beginning only where it is short. */
const maxLooked = 1_000
/** Letters of a word that others are made of, and of what is made of it; words of a question that are looked at. */
const parts = { min: 4, max: 40, words: 4 }
const isPlain = /^\p{L}{3,}$/u

export function createForms(q: string, { terms }: Vocabulary): Forms {
  const stemmer = stemmers.get(findLanguage(q))
  if (stemmer === undefined) return { of: () => [], split: () => null }
  const known = new Map<string, string[]>()
  const compounds = new Map<string, [string, string] | null>()

  function find(word: string): string[] {
    if (!isPlain.test(word)) return []
    const root = stemmer!(word)
    // It may change the last letter of a stem.
    const start = root.slice(0, Math.max(2, root.length - 1))
    const from = findPlace(terms, start)
    return terms
      .slice(from, Math.min(findEnd(terms, start), from + maxLooked))
      .filter(
        (term) => term.length <= root.length + maxEnding && isPlain.test(term) && stemmer!(term) === root,
      )
  }

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
    split(word) {
      if (compounds.size < parts.words && !compounds.has(word)) compounds.set(word, findParts(word))
      return compounds.get(word) ?? null
    },
  }
}

/**
 * The words of a question that a project's pages do not hold, folded, in their order, each once: a sign that it is about
 * something else. A word is known in another form too, a compound by the two words that it is made of, and one
 * written with a hyphen or a slash by its parts: `git-style` where there are `git` and `style`. Numbers, runs of ideographs and stop
 * words are none.
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
