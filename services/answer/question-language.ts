// The language that a question is put in, by its letters: what Lectern says of its own accord is said in it.
import { eld } from 'eld/small'
import { type OwnLanguage, ownLanguages } from './own-words.ts'

eld.setLanguageSubset([...ownLanguages])

/** Fewer may be names alone: `pip install` is German to a detector. Characters, in scripts that put no spaces between words. */
const minWords = 4

/** `fallback`, of the pages, where the question is too short to tell, or names things alone. */
export function languageOfQuestion(question: string, fallback: string | null = null): OwnLanguage {
  const text = question.replace(/`[^`]*`/gu, ' ')
  const words = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}'’]+/gu) ?? []
  const found = eld.detect(text)
  const language = found.isReliable() && words.length >= minWords ? found.language : fallback
  return ownLanguages.find((known) => known === language) ?? 'en'
}
