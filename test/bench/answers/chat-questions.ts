// The questions that chat is asked: those of search quality, which the manuals answer, and others, which they do not.
import { readQuestions, readUnanswerable } from '../manuals/manual-questions.ts'
import type { Manual } from '../site/manuals.ts'

export type Half = 'open' | 'closing'

export interface ChatQuestion {
  id: string
  question: string
  set: Half
  /** Pages that answer it, as paths in the manual; none: it cannot be answered from it. */
  pages: string[]
}

export function readChatQuestions(manual: Manual): ChatQuestion[] {
  const unanswerable = readUnanswerable(manual).map((each) => ({ ...each, pages: [] }))
  return [...readQuestions(manual), ...unanswerable].map((each) => ({ ...each, set: 'open' }))
}
