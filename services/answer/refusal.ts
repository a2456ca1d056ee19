// The answer where the documentation has none: honest, with the nearest pages, and without a model (decisions.md "Chat").
import type { ChatSource } from '../store/chat.ts'
import { ownWords } from './own-words.ts'
import type { QuestionLanguage } from './question-language.ts'

/** Markdown. Titles are text of crawled pages: nothing in them is Markdown. */
export function toRefusal(nearest: ChatSource[], language: QuestionLanguage): string {
  const { none, near } = ownWords[language]
  if (nearest.length === 0) return none
  return [none, near, nearest.map(toItem).join('\n')].join('\n\n')
}

/** Whether an answer of a conversation is one of these. */
export function isRefusal(answer: string): boolean {
  return Object.values(ownWords).some(({ none }) => answer.startsWith(none))
}

function toItem({ title, url }: ChatSource): string {
  const address = new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29')
  return `- [${escaped(title.replace(/\s+/gu, ' ').trim() || address)}](${address})`
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>!|~&]/gu, '\\$&')
}
