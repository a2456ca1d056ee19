// Which of the languages that Lectern speaks a text is in: a question, a claim or a passage.
import { openDetector } from '../index/detected-language.ts'
import { type Language, languages } from './replies.ts'

let opened: ReturnType<typeof openDetector> | undefined

function detector() {
  if (opened === undefined) {
    opened = openDetector()
    opened.setLanguageSubset(languages)
  }
  return opened
}

/** Fewer may be names alone: `pip install` is German to a detector. Characters, in scripts that put no spaces between words. */
const minWords = 4

/** `fallback`, such as the language of the pages, where the text is too short to tell, or names things alone. */
export function languageOf(text: string, fallback: string | null = null): Language {
  const prose = text.replace(/`[^`]*`/gu, ' ')
  const words = prose.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}'’]+/gu) ?? []
  const detected = words.length >= minWords ? detector().detect(prose) : null
  const language = detected?.isReliable() ? detected.language : fallback
  return languages.find((known) => known === language) ?? 'en'
}
