// Whether two texts are of the same language, told by the little words of English and by the script.

export type Language = 'english' | 'other' | 'ideographs' | 'unknown'

const little = new Set(
  `the of and is are that this with for to be by from which when it its not can you if or as on at a an has have will must may
  should would could does do no only all any than then there these those they their your use using used after before into
  how what`.split(/\s+/u),
)
const fewestWords = 5
/** Shares of little words: English has more than the one, other languages less than the other. */
const english = 0.2
const other = 0.08

export function languageOf(text: string): Language {
  const plain = text.replace(/`[^`]*`/gu, ' ')
  const ideographs =
    plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  const words = plain.toLowerCase().match(/\p{L}+/gu) ?? []
  if (ideographs > plain.length / 4) return 'ideographs'
  if (words.length < fewestWords) return 'unknown'
  const share = words.filter((word) => little.has(word)).length / words.length
  return share >= english ? 'english' : share <= other ? 'other' : 'unknown'
}

export function isOfOtherLanguage(text: string, language: Language): boolean {
  const own = languageOf(text)
  return own !== 'unknown' && language !== 'unknown' && own !== language
}
