// From a reader's question to groups of terms: the words that carry its subject, in all their forms. What the index is asked
// for is chosen by how few units hold it, for a question is full of words that tell no page from another.
import { stem } from '../index/stem.ts'
import { toWords } from '../index/words.ts'
import { stopWordsOf } from '../stop-words.ts'
import { type Group, type ParsedQuery, type Typing, toIdf, understand } from './understand.ts'
import { countOf, type Vocabulary } from './vocabulary.ts'

/** From `minWords` on a query is a question if one of its words is a stop word, from `surelyWords` on in any case. */
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

/** Places of terms that are read, as a share of the project's units: common words are left out beyond. */
const maxRead = 0.2
/** As many are read of a small project. */
const alwaysRead = 1_000

/**
 * `how do I kill the jobs` → kill, job; terms: the rarer of the two first, then the other, as long as their lists are short.
 * Stop words are looked for only where there is nothing else.
 */
export function understandQuestion(q: string, vocabulary: Vocabulary, typing: Typing): ParsedQuery {
  const { groups, phrases } = understand(q, vocabulary, typing)
  const content = groups.filter(({ isStop }) => !isStop)
  const rooted = (content.length > 0 ? content : groups).map((group) => toRoot(group, vocabulary))
  return { groups: rooted, phrases, terms: chooseTerms(rooted, vocabulary) }
}

/** A known word stands for all of its forms. */
function toRoot(group: Group, vocabulary: Vocabulary): Group {
  const root = stem(group.word)
  const count = countOf(vocabulary, root)
  if (group.isPrefix || count === 0) return group
  return { ...group, alternatives: new Map([[root, 1]]), idf: toIdf(vocabulary.units, count) }
}

/** The rarest first. */
function chooseTerms(groups: Group[], vocabulary: Vocabulary): string[] {
  const all = new Set(groups.flatMap(({ alternatives }) => [...alternatives.keys()]))
  const terms = [...all]
    .map((term) => ({ term, count: countOf(vocabulary, term) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
  const budget = Math.max(alwaysRead, maxRead * vocabulary.units)
  const chosen: string[] = []
  let read = 0
  for (const { term, count } of terms) {
    if (chosen.length > 0 && read + count > budget) continue
    read += count
    chosen.push(term)
  }
  return chosen
}
