// Words that carry a question rather than its subject: the lists of the package `@orama/stopwords`, one a language.

const languages = `english arabic armenian bulgarian danish dutch finnish french german greek hungarian indian indonesian irish
  italian japanese lithuanian mandarin nepali norwegian portuguese romanian russian sanskrit serbian slovenian spanish swedish
  tamil turkish ukrainian`
const lists = await Promise.all(
  languages.split(/\s+/u).map(async (language): Promise<ReadonlySet<string>> => {
    const { stopwords } = await import(`@orama/stopwords/${language}`)
    // The package leaves out the shortest English word.
    return new Set(language === 'english' ? [...stopwords, 'a'] : stopwords)
  }),
)

/** Enough to tell a language by. */
const maxWords = 100

/**
 * The stop words of the text's language: of the list that holds most of its words, English where none holds more.
 * `wie lese ich eine Datei` → the German list.
 */
export function findStopWords(text: string): ReadonlySet<string> {
  // A lone letter is a word in some languages, and a name in all.
  const words = (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).slice(0, maxWords)
  let best = { list: lists[0]!, count: -1 }
  for (const list of lists) {
    const count = words.filter((word) => list.has(word)).length
    if (count > best.count) best = { list, count }
  }
  return best.list
}
