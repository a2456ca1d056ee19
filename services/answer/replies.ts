// Lectern's own sentences in a chat, by the language of the question.

import catalogue from './replies.json' with { type: 'json' }

interface Replies {
  /** A refusal without sections, and one that links to the nearest, without saying that nothing was found. */
  refused: string
  nearest: string
  /** A refusal of a question that is not in the documentation's `{language}`. */
  foreign: string
  /** Introduces links to the nearest sections, if these may answer the question. */
  pointed: string
  /** Introduces links to further sections, after an answer. */
  seeAlso: string
  /** Follows an answer whose citations were all removed. */
  unsupported: string
  /** First sentence of an answer while the language model is unavailable, and the introduction of its quotations. */
  modelAway: string
  quotedInstead: string
  /** For a failed answer that a retry may fix, for one that it will not fix, and for one that a provider filtered. */
  failed: string
  declined: string
  filtered: string
  /** Precedes an answer to a question with corrected words, `{words}`. */
  searchedFor: string
  /** Replies to greetings, thanks, goodbye, and to messages that need no answer, such as `ok`. */
  greeting: string
  welcome: string
  goodbye: string
  acknowledged: string
  /** Reply to `What can you do?`, with the project's `{name}` and an introduction of its main sections. */
  about: string
  sections: string
}

export const replies = catalogue satisfies Record<string, Replies>

export type Language = keyof typeof replies

export const languages = Object.keys(replies) as Language[]

/** Markdown: a sentence instead of an answer. `nearest`: list items from `toSectionLinks`. */
export function toReply(verdict: 'refused' | 'pointed', nearest: string[], language: Language): string {
  if (nearest.length === 0) return replies[language].refused
  const leading = replies[language][verdict === 'pointed' ? 'pointed' : 'nearest']
  return `${leading}\n\n${nearest.join('\n')}`
}

/** If the documentation is in `foreign` (ISO 639-1), unlike the question: names no section. */
export function toForeignReply(foreign: string, language: Language): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(foreign) ?? foreign
  return replies[language].foreign.replace('{language}', () => name)
}

/** Languages of the texts, in order. Null if not detected. Never rejects. */
export type ReadLanguages = (texts: string[]) => Promise<(Language | null)[]>

/** `detect`: see `detectLanguages` in services/index/detected-language.ts, on another thread. If it fails, all are null. */
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

/** The language of a tag such as a page's, if Lectern has it, else null. */
function toLanguage(tag: string | null | undefined): Language | null {
  return languages.find((known) => known === tag) ?? null
}

/** The first detected language. `fallback`, such as the language of the pages, if all texts are too short or only names. */
export function chooseLanguage(read: (Language | null)[], fallback: string | null = null): Language {
  return read.find((language) => language !== null) ?? toLanguage(fallback) ?? 'en'
}
