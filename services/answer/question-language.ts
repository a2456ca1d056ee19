// The language that a question is put in, by its letters: what Lectern says of its own accord is said in it.
import { eld } from 'eld/small'
import { type OwnLanguage, ownLanguages } from './own-words.ts'

eld.setLanguageSubset([...ownLanguages])

/** `fallback`, of the pages, where the question is too short to tell, or names things alone. */
export function languageOfQuestion(question: string, fallback: string | null = null): OwnLanguage {
  const found = eld.detect(question.replace(/`[^`]*`/gu, ' '))
  const language = found.isReliable() ? found.language : (fallback ?? found.language)
  return ownLanguages.find((known) => known === language) ?? 'en'
}
