// The questions that chat is asked: those of search quality, which the manuals answer, and others, which they do not.
import { readFileSync } from 'node:fs'
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
  const answerable = read(new URL(`../questions/${manual.name}.json`, import.meta.url))
  const unanswerable = read(new URL(`unanswerable-${manual.name}.json`, import.meta.url))
  return [...answerable, ...unanswerable.map((each) => ({ ...each, pages: [] }))]
}

function read(file: URL): ChatQuestion[] {
  return JSON.parse(readFileSync(file, 'utf8'))
}
