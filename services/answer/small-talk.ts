// Greetings and thanks ask for nothing: they are answered in kind, without a search and without a model.
import { fold } from '../index/fold.ts'
import { ownLanguages, ownWords } from './own-words.ts'

const kinds = { hello: 'greeting', thanks: 'welcome' } as const
const known = new Map<string, string>()
for (const language of ownLanguages) {
  for (const [said, answer] of Object.entries(kinds) as [keyof typeof kinds, 'greeting' | 'welcome'][]) {
    for (const phrase of ownWords[language][said].split('|')) {
      if (!known.has(toPlain(phrase))) known.set(toPlain(phrase), ownWords[language][answer])
    }
  }
}

/** `Danke schön!` → what is said to thanks in German; null to any other message. */
export function toSmallTalk(message: string): string | null {
  return known.get(toPlain(message)) ?? null
}

function toPlain(message: string): string {
  return fold(message)
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}
