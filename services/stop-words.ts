// Words that carry a question rather than its subject: the lists of the package `@orama/stopwords`, one a language.

import { fold } from './index/analyze.ts'

const languages = `english arabic armenian bulgarian danish dutch finnish french german greek hungarian indian indonesian irish
  italian japanese lithuanian mandarin nepali norwegian portuguese romanian russian sanskrit serbian slovenian spanish swedish
  tamil turkish ukrainian`
/** `all` holds them without their accents too, by which a language is not told: many a word of another is spelled like that. */
interface List {
  language: string
  spelled: ReadonlySet<string>
  all: ReadonlySet<string>
}

/** Words that ask, and the shortest English one: the package leaves them out. */
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

/** Enough to tell a language by. */
const maxWords = 100

/**
 * The stop words of the text's language, with and without their accents: of the list that holds most of its words, English
 * where none holds more. `wie lese ich eine Datei` → the German list.
 */
export function findStopWords(text: string): ReadonlySet<string> {
  return findList(text).all
}

/** The English name of the text's language, as its stop words tell it. */
export function findLanguage(text: string): string {
  return findList(text).language
}

function findList(text: string): List {
  // A lone letter is a word in some languages, and a name in all.
  const words = (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).slice(0, maxWords)
  let best = { list: lists[0]!, count: -1 }
  for (const list of lists) {
    const count = words.filter((word) => list.spelled.has(word)).length
    if (count > best.count) best = { list, count }
  }
  return best.list
}
