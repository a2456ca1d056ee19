// Folding: one spelling for letters that differ by case, accent or width only.

/** Marks without a letter, which Unicode decomposes into a space and a mark. */
const marks = / ?[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ascii = /^[\x00-\x7f]*$/
/** Letters that Unicode does not take apart. */
const wholeLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  '’': "'",
}
const wholeLetter = /[ßæœøđłı’]/g

/** Lower case without accents: `Größe` → `grosse`, `ｅｘｐｌａｉｎ` → `explain`. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  return ascii.test(lower) ? lower : foldMarks(lower).toLowerCase()
}

/** Without accents, in its own case. */
export function foldMarks(text: string): string {
  if (ascii.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFC')
    .replace(wholeLetter, (character) => wholeLetters[character]!)
}
