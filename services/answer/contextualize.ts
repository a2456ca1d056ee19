// Reads a question in the light of the conversation, without a model: the wordings that it is searched by.
import { toWords } from '../index/words.ts'
import { stopWordsOf } from '../search/stop-words.ts'
import type { ChatMessage } from '../store/chat.ts'
import { isOwnAnswer } from './own-words.ts'

export type RetrievalMode = 'instant' | 'auto' | 'think'

/** Words up to which a question hangs on the one before, stop words left out and counted: `And on Windows?`, `How do I turn it off?` */
const fewWords = { own: 2, all: 3 }

/**
 * Best first. `How do I set a timeout for a subprocess?`, then `And for threads?` → `And for threads? (How do I set a
 * timeout for a subprocess?)`, `And for threads?`; a question with words enough of its own goes first as it is.
 * `before`: the messages so far, oldest first. Mode `instant` takes it as it is.
 */
export function contextualize(question: string, before: ChatMessage[], mode: RetrievalMode): string[] {
  const earlier = mode === 'instant' ? null : questionBefore(before)
  if (earlier === null) return [question]
  const joined = `${question} (${earlier})`
  const words = toWords(question)
  const stopWords = stopWordsOf(question)
  const own = words.filter(({ text }) => !stopWords.has(text.toLowerCase()))
  const isThin = own.length <= fewWords.own || words.length <= fewWords.all
  return isThin ? [joined, question] : [question, joined]
}

/** The last one that was answered: one that was refused has led nowhere. */
function questionBefore(messages: ChatMessage[]): string | null {
  const answer = messages.findLastIndex(({ role, content }) => role === 'assistant' && !isOwnAnswer(content))
  return messages.slice(0, Math.max(0, answer)).findLast(({ role }) => role === 'user')?.content ?? null
}
