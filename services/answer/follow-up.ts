// Follow-up questions: what to search for if a question may depend on the previous one.
import { toWords } from '../index/analyze.ts'
import { findStopWords } from '../stop-words.ts'
import type { ChatMessage } from '../store/chat.ts'
import catalogue from './follow-ups.json' with { type: 'json' }
import type { Language } from './replies.ts'
import { toPlain } from './small-talk.ts'

export type RetrievalMode = 'instant' | 'auto' | 'think'

export interface Wordings {
  /** What to search for, most likely first. */
  texts: string[]
  /** Whether the others are considered even if the first can be answered. */
  isOpen: boolean
}

/** Maximum words, without stop words, of a question that may depend on the previous one. */
const maxOwnWords = 6
/** Of all words, if it starts with a preposition: `On Windows?`, `With a proxy?` */
const maxEllipsis = 4
/** Own words before a pronoun. With more, the pronoun refers to something in the question itself. */
const maxBeforePronoun = 2
/** Ideographs and kana of a word. */
const ideographs = 3

/**
 * The wordings of a question given the conversation, `before`, oldest first. `How do I set a timeout for a subprocess?`,
 * then `And for threads?` → `And for threads? (How do I set a timeout for a subprocess?)`, `And for threads?`. A question
 * that does not refer back comes first unchanged. Mode `instant` leaves every question unchanged.
 */
export function contextualize(
  question: string,
  before: ChatMessage[],
  mode: RetrievalMode,
  language: Language,
): Wordings {
  const earlier = mode === 'instant' ? null : questionBefore(before)
  if (earlier === null) return { texts: [question], isOpen: false }
  const joined = `${question} (${earlier})`
  const isOpen = countOwnWords(question) <= maxOwnWords
  const texts = isOpen && refersBack(question, language) ? [joined, question] : [question, joined]
  return { texts, isOpen }
}

/** The last question answered with sources. A refused question gives no context, and small talk asks nothing. */
function questionBefore(messages: ChatMessage[]): string | null {
  const answer = messages.findLastIndex(({ role, sources }) => role === 'assistant' && sources.length > 0)
  return messages.slice(0, Math.max(0, answer)).findLast(({ role }) => role === 'user')?.content ?? null
}

/** `And on Windows?`, `How do I turn it off?`, `Why?`; not `How do I copy a file and keep its name?` */
function refersBack(question: string, language: Language): boolean {
  const plain = `${toPlain(question)} `
  const has = (list: keyof typeof catalogue) =>
    catalogue[list][language].split(', ').flatMap((phrase) => {
      const at = phrase === '' ? -1 : findPhrase(plain, toPlain(phrase))
      return at < 0 ? [] : [at]
    })
  return (
    countOwnWords(question) === 0 ||
    has('leading').includes(0) ||
    (has('prepositions').includes(0) && toWords(question).length <= maxEllipsis) ||
    has('pronouns').some((at) => countOwnWords(plain.slice(0, at)) <= maxBeforePronoun)
  )
}

/** Position of the first occurrence of the phrase, or -1. Japanese and Chinese do not separate words. */
function findPhrase(plain: string, phrase: string): number {
  const isCjk = toWords(phrase).some(({ isCjk }) => isCjk)
  return isCjk ? plain.indexOf(phrase) : ` ${plain}`.indexOf(` ${phrase} `)
}

function countOwnWords(question: string): number {
  const stopWords = findStopWords(question)
  const own = toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase()))
  return own.reduce((sum, { text, isCjk }) => sum + (isCjk ? Math.ceil(text.length / ideographs) : 1), 0)
}
