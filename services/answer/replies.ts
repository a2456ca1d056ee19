// What Lectern says of its own accord in a chat, by the language of the question.

import { fold } from '../index/fold.ts'
import type { ChatSource } from '../store/chat.ts'
import catalogue from './replies.json' with { type: 'json' }
import { toTitleLink } from './titles.ts'

interface Replies {
  /** A refusal that names no section, and one that leads to the nearest: it does not say that nothing was found. */
  refused: string
  nearest: string
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
  /** Greetings and thanks, and what is said to them. */
  hello: string[]
  greeting: string
  thanks: string[]
  welcome: string
}

export const replies = catalogue satisfies Record<string, Replies>

export type Language = keyof typeof replies

export const languages = Object.keys(replies) as Language[]

/** Markdown: the sentence in place of an answer, with the sections that come nearest. */
export function toReply(verdict: 'refused' | 'pointed', nearest: ChatSource[], language: Language): string {
  if (nearest.length === 0) return replies[language].refused
  const leading = replies[language][verdict === 'pointed' ? 'pointed' : 'nearest']
  return `${leading}\n\n${nearest.map((source) => `- ${toTitleLink(source)}`).join('\n')}`
}

/** Whether an answer of a conversation is one of these; a sentence about the language model may come before. */
export function isReply(answer: string): boolean {
  return Object.values(replies).some(
    ({ refused, nearest, pointed }) =>
      answer.startsWith(refused) || answer.startsWith(nearest) || answer.includes(pointed),
  )
}

/** `Danke schön!` → what is said to thanks in German; null for any other message. */
export function toSmallTalk(message: string): string | null {
  const said = toPlain(message)
  for (const { hello, greeting, thanks, welcome } of Object.values(replies)) {
    if (hello.some((phrase) => toPlain(phrase) === said)) return greeting
    if (thanks.some((phrase) => toPlain(phrase) === said)) return welcome
  }
  return null
}

function toPlain(message: string): string {
  return fold(message)
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
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

/** Of one text. `fallback`, such as the language of the pages, is for a text that is too short to tell, or names things alone. */
export async function detectLanguage(
  text: string,
  readLanguages: ReadLanguages,
  fallback: string | null = null,
): Promise<Language> {
  const [language] = await readLanguages([text])
  return language ?? toLanguage(fallback) ?? 'en'
}
