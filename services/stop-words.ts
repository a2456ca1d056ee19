// Stop words, from the lists of the package `@orama/stopwords`, one per language.
import { fold } from './index/analyze.ts'

const languages = `english russian arabic armenian bulgarian danish dutch finnish french german greek hungarian indian indonesian irish
  italian japanese lithuanian mandarin nepali norwegian portuguese romanian sanskrit serbian slovenian spanish swedish
  tamil turkish ukrainian`
/** `all` also has the words without accents. Detection uses only `spelled`, because other languages have words spelled like those. */
interface List {
  language: string
  spelled: ReadonlySet<string>
  all: ReadonlySet<string>
}

/** Question words, and the English `a`, which the package lacks. */
const further: Record<string, string> = {
  english: 'a',
  german: 'wer wen wem wann warum wieso weshalb wohin woher womit darf gibt',
  french: 'comment pourquoi combien quand où quoi lequel laquelle peut faut',
  spanish: 'porqué',
  italian: 'quando quali cosa posso',
  portuguese: 'porquê porque quanto onde quais posso',
  dutch: 'waar wanneer waarom welke hoeveel',
}
const lists = await Promise.all(
  languages.split(/\s+/u).map(async (language): Promise<List> => {
    const { stopwords } = await import(`@orama/stopwords/${language}`)
    const spelled = [...stopwords, ...(further[language]?.split(' ') ?? [])]
    return { language, spelled: new Set(spelled), all: new Set([...spelled, ...spelled.map(fold)]) }
  }),
)

/**
 * The stop words of the text's language, with and without accents. The language is that of the list with most of the text's
 * words, in a tie English, or Russian in Cyrillic letters. `wie lese ich eine Datei` → the German list.
 */
export const findStopWords = (text: string): ReadonlySet<string> => findList(text).all

const englishNames = new Intl.DisplayNames('en', { type: 'language' })

/** Whether more words of a text in Latin letters are stop words of one language (ISO 639-1) than of another. */
export function isRatherIn(text: string, language: string, other: string): boolean {
  const names = [other, language].map((code) => englishNames.of(code)!.toLowerCase())
  const among = names.flatMap((name) => lists.filter((list) => list.language === name))
  return among.length === 2 && !/[^\P{L}\p{Script=Latin}]/u.test(text) && findList(text, among) === among[1]
}

/** The list with most of the text's words, the first of equals. Its `language` is an English name. */
export function findList(text: string, among = lists): List {
  // Skips single letters, which are often names. 100 words suffice.
  const words = (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).slice(0, 100)
  let best = { list: among[/\p{Script=Cyrillic}/u.test(text) ? 1 : 0]!, count: 0 }
  for (const list of among) {
    const count = words.filter((word) => list.spelled.has(word)).length
    if (count > best.count) best = { list, count }
  }
  return best.list
}
