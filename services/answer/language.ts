// Which of the languages that Lectern speaks a text is in: a question, a claim or a passage.
import { openDetector } from '../index/detected-language.ts'
import { type Language, languages } from './replies.ts'

let detector: ReturnType<typeof openDetector> | undefined

/** Fewer may be names alone: `pip install` is German to a detector. Characters, in scripts that put no spaces between words. */
const minWords = 4

/** `fallback`, such as the language of the pages, where the text is too short to tell, or names things alone. */
export function languageOf(text: string, fallback: string | null = null): Language {
  const prose = text.replace(/`[^`]*`/gu, ' ')
  const words = prose.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}'’]+/gu) ?? []
  const detected = words.length >= minWords ? detect(prose) : null
  return languages.find((known) => known === (detected ?? fallback)) ?? 'en'
}

function detect(text: string): string | null {
  if (detector === undefined) {
    detector = openDetector()
    detector.setLanguageSubset([...languages])
  }
  const found = detector.detect(text)
  return found.isReliable() ? found.language : null
}
