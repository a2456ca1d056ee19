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

/** Maximum words to detect the language. */
const maxWords = 100

/**
 * The stop words of the text's language, with and without accents. The language is that of the list with most of the text's
 * words, in a tie English, or Russian in Cyrillic letters. `wie lese ich eine Datei` → the German list.
 */
export function findStopWords(text: string): ReadonlySet<string> {
  return findList(text).all
}

/** The English name of the text's language, detected by its stop words. */
export function findLanguage(text: string): string {
  return findList(text).language
}

function findList(text: string): List {
  // Skips single letters, which are often names.
  const words = (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).slice(0, maxWords)
  let best = { list: lists[/\p{Script=Cyrillic}/u.test(text) ? 1 : 0]!, count: 0 }
  for (const list of lists) {
    const count = words.filter((word) => list.spelled.has(word)).length
    if (count > best.count) best = { list, count }
  }
  return best.list
}
