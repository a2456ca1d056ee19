// Greetings and thanks ask for nothing: they are answered in kind, without a search and without a model.
import { fold } from '../index/fold.ts'
import { besides, type Phrases, phrases } from './courtesy-phrases.ts'
import { type OwnWords, ownWords } from './own-words.ts'
import type { QuestionLanguage } from './question-language.ts'

type Kind = 'greetings' | 'thanks'

const known = new Map<string, { kind: Kind; language: QuestionLanguage | null }>()
for (const [language, of] of Object.entries(phrases) as [QuestionLanguage, Phrases][])
  for (const kind of ['greetings', 'thanks'] as const)
    for (const phrase of of[kind].split('|')) if (!known.has(phrase)) known.set(phrase, { kind, language })
for (const kind of ['greetings', 'thanks'] as const)
  for (const phrase of besides[kind].split('|')) known.set(phrase, { kind, language: null })

const longest = 60
const mostWords = 5
const marks = /[\s.,;:!?…。、，！？；：¡¿]+/u
const answers: Record<Kind, keyof OwnWords> = { greetings: 'greeting', thanks: 'welcome' }

/** What is said to a message that holds nothing but courtesies of one kind, in their language; null to any other. */
export function toCourtesy(message: string): string | null {
  const words = fold(message)
    .split(marks)
    .filter((part) => part !== '')
  if (message.length > longest || words.length === 0) return null
  const found: { kind: Kind; language: QuestionLanguage | null }[] = []
  for (let at = 0; at < words.length; ) {
    const length = Array.from({ length: mostWords }, (_, less) => mostWords - less).find((count) =>
      known.has(words.slice(at, at + count).join(' ')),
    )
    if (length === undefined) return null
    found.push(known.get(words.slice(at, at + length).join(' '))!)
    at += length
  }
  const { kind } = found[0]!
  if (found.some((each) => each.kind !== kind)) return null
  const language = found.find((each) => each.language !== null)?.language ?? 'en'
  return ownWords[language][answers[kind]]
}

/** Of every language, longest first; with accents or without. */
function anyOf(...kinds: (keyof Phrases)[]): string {
  const all = Object.values(phrases).flatMap((of) => kinds.flatMap((kind) => of[kind].split('|')))
  return all
    .sort((a, b) => b.length - a.length)
    .map((phrase) => phrase.replaceAll(' ', String.raw`\s+`).replaceAll("'", "['’]"))
    .join('|')
}
const addressed = String.raw`(?:\s+(?:there|all|everyone|team))?`
const opening = new RegExp(
  String.raw`^[¡¿\s]*(?:(?:${anyOf('greetings')})${addressed}|ok(?:ay)?|great|(?:${anyOf('thanks', 'please')}))\s*[,.!;:\n–、，。！-]+\s*`,
  'iu',
)
const closing = new RegExp(
  String.raw`(?:[\s,.;!–-]+|(?<mark>[?？])[\s,.;!–-]*)(?:${anyOf('thanks', 'please')})\s*[.!)。！]*$`,
  'iu',
)

/** The question without what is said before and behind it for courtesy: `Hi, what is X? Thanks!` → `what is X?`. */
export function withoutCourtesy(message: string): string {
  const whole = message.normalize('NFC')
  const start = opening.exec(foldLetters(whole))?.[0].length ?? 0
  const opened = whole.slice(start)
  const end = closing.exec(foldLetters(opened))
  const without = (
    end === null ? opened : opened.slice(0, end.index + (end.groups!.mark ?? '').length)
  ).trim()
  return without === '' ? message : without
}

/** Folded letter by letter, each in its place: `ß` stays. */
function foldLetters(text: string): string {
  return Array.from(text, (letter) => (fold(letter).length === letter.length ? fold(letter) : letter)).join(
    '',
  )
}
