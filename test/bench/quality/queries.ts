// The queries of a manual: terms of its index, their beginnings, their typos, and the questions of readers.
// Everything is drawn with a fixed seed; a term and its variants are in the same half; questions are all open.
import { matchesGlob } from 'node:path'
import { readQuestions } from '../manuals/manual-questions.ts'
import type { Manual } from '../site/manuals.ts'
import { createRandom, hash, sample } from '../statistics.ts'
import type { Query, QueryClass } from './engine.ts'
import { readLabels } from './labels.ts'

const seed = 20_261_121
const termsPerManual = 400

export function readQueries(manual: Manual): Query[] {
  const random = createRandom(seed)
  const labels = [...readLabels(manual).values()]
    .map(({ term, pages }) => ({
      term,
      pages: new Set([...pages].filter((page) => !isIndexPage(manual, page))),
    }))
    .filter(({ term, pages }) => pages.size > 0 && term.length >= 3 && term.length <= 60)
    .toSorted((a, b) => (a.term < b.term ? -1 : 1))
  const queries: Query[] = []
  for (const { term, pages } of sample(labels, termsPerManual, random)) {
    const isTuning = hash(term) % 2 === 0
    const add = (kind: QueryClass, text: string | null) => {
      if (text !== null) queries.push({ class: kind, text, pages, isTuning })
    }
    add('terms', term)
    add('prefixes', toPrefix(term, random))
    add('typing errors', toTypingError(term, random))
  }
  const questions = readQuestions(manual).map(({ question, pages }) => ({
    text: question,
    pages: new Set(pages),
  }))
  return [...queries, ...questions.map((each): Query => ({ ...each, class: 'questions', isTuning: true }))]
}

function isIndexPage(manual: Manual, page: string): boolean {
  return manual.indexPages.some((glob) => matchesGlob(page, glob))
}

/** Cut within the last word, of which at least three letters and at least half remain. `asyncio.create_task` → `asyncio.creat`. */
export function toPrefix(term: string, random: () => number): string | null {
  const word = /[\p{L}\p{N}]+$/u.exec(term)?.[0] ?? ''
  const least = Math.max(3, Math.ceil(word.length / 2))
  if (word.length <= least) return null
  return term.slice(0, term.length - word.length + least + Math.floor(random() * (word.length - least)))
}

/** One edit in a word of at least five letters, not at its first letter: substitution, insertion, deletion or transposition. */
export function toTypingError(term: string, random: () => number): string | null {
  const words = [...term.matchAll(/\p{L}{5,}/gu)]
  const word = words[Math.floor(random() * words.length)]
  if (!word) return null
  const at = word.index + 1 + Math.floor(random() * (word[0].length - 2))
  const letter = String.fromCharCode(97 + Math.floor(random() * 26))
  const edits = [
    term.slice(0, at) + letter + term.slice(at + 1),
    term.slice(0, at) + letter + term.slice(at),
    term.slice(0, at) + term.slice(at + 1),
    term.slice(0, at) + term[at + 1]! + term[at]! + term.slice(at + 2),
  ]
  const error = edits[Math.floor(random() * edits.length)]!
  return error.toLowerCase() === term.toLowerCase() ? null : error
}
