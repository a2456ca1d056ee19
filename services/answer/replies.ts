// What Lectern says of its own accord in a chat, by the language of the question.

import catalogue from './replies.json' with { type: 'json' }

interface Replies {
  /** A refusal that names no section, and one that leads to the nearest: it does not say that nothing was found. */
  refused: string
  nearest: string
  /** A refusal of a question in another language than the documentation's, `{language}`. */
  foreign: string
  /** Leads to the nearest sections where these may answer the question. */
  pointed: string
  /** Leads to further sections, after an answer. */
  seeAlso: string
  /** Below an answer whose citations were all removed. */
  unsupported: string
  /** First sentence of an answer without the language model, which cannot be reached, and the introduction of its quotations. */
  modelAway: string
  quotedInstead: string
  /** Where the answer failed and may succeed if asked again, where it will not, and where a provider held it back. */
  failed: string
  declined: string
  filtered: string
  /** Stands above an answer to a question with corrected words, `{words}`. */
  searchedFor: string
  /** What is said to greetings, thanks, goodbye, and what needs no answer, such as `ok`. */
  greeting: string
  welcome: string
  goodbye: string
  acknowledged: string
  /** What is said to `What can you do?`, with the project's `{name}`, and leads to its main sections. */
  about: string
  sections: string
}

export const replies = catalogue satisfies Record<string, Replies>

export type Language = keyof typeof replies

export const languages = Object.keys(replies) as Language[]

/** Markdown: a sentence in place of an answer. `nearest`: list items from `toSectionLinks`. */
export function toReply(verdict: 'refused' | 'pointed', nearest: string[], language: Language): string {
  if (nearest.length === 0) return replies[language].refused
  const leading = replies[language][verdict === 'pointed' ? 'pointed' : 'nearest']
  return `${leading}\n\n${nearest.join('\n')}`
}

/** Where the documentation is in `foreign` (ISO 639-1), which the question is not in: it names no section. */
export function toForeignReply(foreign: string, language: Language): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(foreign) ?? foreign
  return replies[language].foreign.replace('{language}', () => name)
}

/** Those of the texts, in their order; null where it cannot be detected. Never rejects. */
export type ReadLanguages = (texts: string[]) => Promise<(Language | null)[]>

/** `detect`: as `detectLanguages` in services/index/detected-language.ts, on another thread; where it fails, all are null. */
export function createReadLanguages(
  detect: (texts: string[], among: readonly string[]) => Promise<(string | null)[]>,
  report: (error: unknown) => void,
): ReadLanguages {
  return async (texts) => {
    const found = await detect(texts, languages).catch((error) => {
      report(error)
      return []
    })
    return texts.map((_, at) => toLanguage(found[at]))
  }
}

/** One that Lectern speaks, of a tag such as a page's; null for others. */
function toLanguage(tag: string | null | undefined): Language | null {
  return languages.find((known) => known === tag) ?? null
}

/** The first of those that were read. `fallback`, such as the language of the pages: where all texts are too short, or name things alone. */
export function chooseLanguage(read: (Language | null)[], fallback: string | null = null): Language {
  return read.find((language) => language !== null) ?? toLanguage(fallback) ?? 'en'
}
