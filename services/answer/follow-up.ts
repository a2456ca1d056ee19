// Follow-up questions: what to search for where a question may hang on the one before.
import { toWords } from '../index/analyze.ts'
import { findStopWords } from '../stop-words.ts'
import type { ChatMessage } from '../store/chat.ts'
import catalogue from './follow-ups.json' with { type: 'json' }
import type { Language } from './replies.ts'
import { toPlain } from './small-talk.ts'

export type RetrievalMode = 'instant' | 'auto' | 'think'

export interface Wordings {
  /** What to search for, likeliest first. */
  texts: string[]
  /** Whether the others count too where the first can be answered. */
  isOpen: boolean
}

/** Words of its own, stop words left out, up to which a question may hang on the one before. */
const maxOwnWords = 6
/** Of all words, where a preposition begins it: `On Windows?`, `With a proxy?` */
const maxEllipsis = 4
/** Own words before a pronoun: behind more, what it stands for is in the question itself. */
const maxBeforePronoun = 2
/** Ideographs and kana of a word. */
const ideographs = 3

/**
 * The wordings of a question in the light of the conversation, `before`, oldest first. `How do I set a timeout for a subprocess?`,
 * then `And for threads?` → `And for threads? (How do I set a timeout for a subprocess?)`, `And for threads?`. A question that does not
 * refer back goes first as it is. Mode `instant` takes it as it is.
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

/** The last one that was answered, with sources: one that was refused has led nowhere, and small talk asks nothing. */
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

/** Where the phrase first stands, -1 where nowhere. Japanese and Chinese do not part words. */
function findPhrase(plain: string, phrase: string): number {
  const isCjk = toWords(phrase).some(({ isCjk }) => isCjk)
  return isCjk ? plain.indexOf(phrase) : ` ${plain}`.indexOf(` ${phrase} `)
}

function countOwnWords(question: string): number {
  const stopWords = findStopWords(question)
  const own = toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase()))
  return own.reduce((sum, { text, isCjk }) => sum + (isCjk ? Math.ceil(text.length / ideographs) : 1), 0)
}
