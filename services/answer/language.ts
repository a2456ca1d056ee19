// Which of the languages that Lectern speaks a text is in: a question, a claim or a passage.
import { type Language, languages } from './replies.ts'

/** Those of the texts, in their order; null where one cannot be told. Never rejects. */
export type ReadLanguages = (texts: string[]) => Promise<(Language | null)[]>

/** `detect`: as `detectLanguages` in services/index/detected-language.ts, on another thread; where it fails, none is told. */
export function createReadLanguages(
  detect: (texts: string[], among: readonly string[]) => Promise<(string | null)[]>,
  report: (error: unknown) => void,
): ReadLanguages {
  return async (texts) => {
    const found = await detect(texts, languages).catch((error) => {
      report(error)
      return []
    })
    return texts.map((_, at) => toLanguage(found[at] ?? null))
  }
}

/** One that Lectern speaks, of a tag such as a page's; null for others. */
function toLanguage(tag: string | null): Language | null {
  return languages.find((known) => known === tag) ?? null
}

/** Of one text. `fallback`, such as the language of the pages, is for a text that is too short to tell, or names things alone. */
export async function languageOf(
  text: string,
  readLanguages: ReadLanguages,
  fallback: string | null = null,
): Promise<Language> {
  const [language = null] = await readLanguages([text])
  return language ?? toLanguage(fallback) ?? 'en'
}
