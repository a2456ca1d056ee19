// Cuts text into words as documentation writes them: `asyncio.create_task`, `--dry-run` and `C++` are one word each.

/** Longer runs without a gap are no words at all, but encoded data. */
const maxWordLength = 1_000

/** What a character is to the cutter. */
const gap = 0
const letter = 1
/** Belongs to a word only between letters or at its edges: `.` in `os.path`, `-` in `--dry-run`. */
const joint = 2
/** Ideographs and kana: written without spaces between words. */
const cjk = 3

const joints = "-._/:\\@$#+'"
const cjkPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々ー]/u
const letterPattern = /[\p{L}\p{N}\p{M}]/u

const kinds = new Uint8Array(0x10000)
for (let code = 0; code < kinds.length; code++) kinds[code] = classify(code)

function classify(code: number): number {
  // Halves of a pair: letters of rare scripts and rare ideographs, kept as they are.
  if (code >= 0xd800 && code <= 0xdfff) return letter
  const character = String.fromCharCode(code)
  if (character === '’') return joint
  if (code < 0x80 && joints.includes(character)) return joint
  if (code >= 0x80 && cjkPattern.test(character)) return cjk
  return letterPattern.test(character) ? letter : gap
}

export interface Word {
  text: string
  /** A run of ideographs or kana, to be cut into pairs. */
  isCjk: boolean
  /** Its position in the text, in UTF-16 units. */
  start: number
  end: number
}

/** Calls `visit` with each run of at most 1,000 letters and joints, and with each run of CJK characters, in order. Linear. */
export function eachWord(text: string, visit: (start: number, end: number, isCjk: boolean) => void): void {
  const { length } = text
  let position = 0
  while (position < length) {
    const kind = kinds[text.charCodeAt(position)]!
    if (kind === gap) {
      position++
      continue
    }
    const start = position
    let hasLetter = kind !== joint
    position++
    if (kind === cjk) {
      while (position < length && kinds[text.charCodeAt(position)] === cjk) position++
    } else {
      for (; position < length; position++) {
        const next = kinds[text.charCodeAt(position)]!
        if (next === gap || next === cjk) break
        hasLetter ||= next === letter
      }
    }
    if (kind === cjk || (hasLetter && position - start <= maxWordLength)) visit(start, position, kind === cjk)
  }
}

/** The words of a text with their places. */
export function toWords(text: string): Word[] {
  const words: Word[] = []
  eachWord(text, (start, end, isCjk) => words.push({ text: text.slice(start, end), isCjk, start, end }))
  return words
}
