// Splits text into terms, for both index and queries. The index matches terms exactly. An identifier yields itself and its
// parts, a word yields itself and its stem.
import { toOwnText } from '../../crawler/extract/visible.ts'

/** Longer runs without a gap are encoded data, and skipped. */
const maxWordLength = 1_000

/** Kinds of characters. */
const gap = 0
const letter = 1
/** Part of a word only beside letters: `.` in `os.path`, `-` in `--dry-run`. */
const joint = 2
/** Ideographs, Hangul and kana with their marks, which half-width text has apart (`ﾌﾟﾗｸﾞ`), cut into pairs of characters. */
const cjk = 3

const joints = "-._/:\\@$#+'"
const cjkPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々ーｰﾞﾟ\u3099\u309a]/u
/** Without the ligatures of several words, which Unicode decomposes into words with spaces. */
const letterPattern = /(?![\ufdfa\ufdfb])[\p{L}\p{N}\p{M}]/u

const kinds = new Uint8Array(0x10000)
for (let code = 0; code < kinds.length; code++) kinds[code] = classify(code)

function classify(code: number): number {
  // Surrogates: letters of rare scripts and rare ideographs.
  if (code >= 0xd800 && code <= 0xdfff) return letter
  const character = String.fromCharCode(code)
  if (character === '’') return joint
  if (code < 0x80 && joints.includes(character)) return joint
  if (code >= 0x80 && cjkPattern.test(character)) return cjk
  return letterPattern.test(character) ? letter : gap
}

export interface Word {
  text: string
  /** Whether it is a run of CJK characters, to be cut into pairs. */
  isCjk: boolean
  /** Position in the text, in UTF-16 units. */
  start: number
  end: number
}

/** Calls `visit` for each run of letters and joints up to 1,000 characters, and each run of CJK characters. Linear time. */
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

/** The words of a text with their positions. */
export function toWords(text: string): Word[] {
  const words: Word[] = []
  eachWord(text, (start, end, isCjk) => words.push({ text: text.slice(start, end), isCjk, start, end }))
  return words
}

/** Combining marks. Unicode decomposes spacing marks into a space and a mark. */
const marks = / ?[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ascii = /^[\x00-\x7f]*$/
/** Letters that Unicode does not decompose. */
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

/** Removes accents and keeps the case. */
function foldMarks(text: string): string {
  if (ascii.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFC')
    .replace(wholeLetter, (character) => wholeLetters[character]!)
}

/** Increment when the analysis of a page changes, so that stored pages are indexed again. */
export const analyzerVersion = 'a7'

/** Longer terms are encoded data: only their parts are indexed. */
const maxTermLength = 80
/** Maximum cached words: more than a large manual has. Beyond it, the cache is cleared. */
const maxCachedWords = 50_000

const cachedTerms = new Map<string, string[]>()

/**
 * The terms of a text, in order, with repetitions. `asyncio.create_task` →
 * `asyncio.create_task`, `asyncio`, `create_task`, `create`, `creat`, `task`. Linear time.
 */
export function analyze(text: string): string[] {
  const terms: string[] = []
  eachWord(text, (start, end, isCjk) => {
    const word = text.slice(start, end)
    for (const term of isCjk ? toPairs(word) : readTerms(word)) terms.push(term)
  })
  return terms
}

/** The terms as stored in a unit. */
export function analyzeJoined(text: string): string {
  return analyze(text).join(' ')
}

/** The terms of one word from `eachWord`, the whole word first. */
export function readTerms(part: string): string[] {
  const known = cachedTerms.get(part)
  if (known !== undefined) return known
  if (cachedTerms.size >= maxCachedWords) cachedTerms.clear()
  const word = toOwnText(part)
  const terms = [...new Set(readWord(word))].filter((term) => term.length <= maxTermLength)
  cachedTerms.set(word, terms)
  return terms
}

/** `全文検索` → `全文`, `文検`, `検索`; one character stays alone. */
export function toPairs(run: string): string[] {
  const characters = fold(run)
  if (characters.length < 2) return [characters]
  return Array.from({ length: characters.length - 1 }, (_, at) => characters.slice(at, at + 2))
}

const lowerAscii = /^[a-z]+$/
/** Joints allowed at the edges of a word. */
const edges = new Set("-./:\\@$#+'")
/** Prefixes that make another word: `--force`, `.gitignore`, `@media`. */
const distinctivePrefix = /(?:--?|[.@$\\#/])$/u
/** `C++`, `C#`, `F#`. */
const distinctiveSuffix = /^(?:\+\+|#)/u
/** Elided words of French, Italian and Catalan: `l'armure`, `qu'il`, `dell'utente`. */
const elision = /^(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|(?:a|co|da|de|ne|que|su)ll|gl|un)'(?=\p{L}{2})/iu
const apostrophes = /'/gu

function readWord(word: string): string[] {
  if (lowerAscii.test(word)) return withStem(word)
  const { before, core, after } = cutEdges(foldMarks(word).replaceAll('’', "'"))
  const inner = core.replace(/'s$/u, '').replace(elision, '').replace(apostrophes, '')
  if (inner === '') return []
  const terms: string[] = []
  const mark = distinctivePrefix.exec(before)?.[0]
  if (mark !== undefined && before.length <= 2) terms.push(fold(mark + inner))
  const sign = core.length <= 2 ? distinctiveSuffix.exec(after)?.[0] : undefined
  if (sign !== undefined) terms.push(fold(inner + sign))
  return [...terms, ...readIdentifier(inner)]
}

/** `--dry-run` → before `--`, core `dry-run`, after empty. */
function cutEdges(word: string) {
  let start = 0
  while (start < word.length && edges.has(word[start]!)) start++
  let end = word.length
  while (end > start && edges.has(word[end - 1]!)) end--
  return { before: word.slice(0, start), core: word.slice(start, end), after: word.slice(end) }
}

const separators = /[-./:\\@$#+]+/u
/** A path with more parts is an address: its tails are not indexed. */
const maxParts = 6

/** `os.path.join` → itself, `path.join`, then each part's terms. */
function readIdentifier(name: string): string[] {
  const parts = name.split(separators).filter((part) => part !== '')
  if (parts.length < 2) return readPart(name)
  const terms = [fold(name)]
  if (parts.length <= maxParts) {
    for (let at = 1; at < parts.length - 1; at++) {
      const tail = name.slice(name.indexOf(parts[at]!, at === 1 ? parts[0]!.length : 0))
      terms.push(fold(tail))
    }
  }
  return [...terms, ...parts.flatMap(readPart)]
}

const humps =
  /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{N}]*|\p{Lu}[\p{Lu}\p{N}]*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}]+/gu
const isMixed = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u

/** `create_task` → itself, `create`, `task` and stems; `ThreadPoolExecutor` → itself, `thread`, `pool`, `executor`. */
function readPart(part: string): string[] {
  const pieces = part.split('_').filter((piece) => piece !== '')
  const whole = fold(part)
  if (pieces.length === 0) return []
  if (pieces.length === 1 && pieces[0] === part) {
    if (!isMixed.test(part)) return withStem(whole)
    return [whole, ...(part.match(humps) ?? []).flatMap((hump) => withStem(fold(hump)))]
  }
  return [whole, ...pieces.flatMap(readPart)]
}

function withStem(word: string): string[] {
  const root = stem(word)
  return root === word ? [word] : [word, root]
}

const vowel = /[aeiouy]/
const plain = /^[a-z]+$/

/** Replacements of endings; the first match wins. The remainder needs at least `keeps` letters. */
const endings: { ending: string; becomes: string; keeps: number }[] = [
  { ending: 'ies', becomes: 'y', keeps: 2 },
  { ending: 'sses', becomes: 'ss', keeps: 2 },
  { ending: 'xes', becomes: 'x', keeps: 2 },
  { ending: 'ches', becomes: 'ch', keeps: 2 },
  { ending: 'shes', becomes: 'sh', keeps: 2 },
  { ending: 'ss', becomes: 'ss', keeps: 1 },
  { ending: 'us', becomes: 'us', keeps: 1 },
  { ending: 'is', becomes: 'is', keeps: 1 },
  { ending: 's', becomes: '', keeps: 3 },
]
const verbEndings = ['ing', 'ied', 'ed'] as const

/**
 * `queries` → `query`, `indexes` and `indexing` → `index`, `create`, `created`, `creating` → `creat`,
 * `stopped` → `stop`. Returns short words, and words with other characters than `a` to `z`, unchanged.
 */
export function stem(word: string): string {
  if (word.length < 4 || !plain.test(word)) return word
  return withoutLastE(withoutVerbEnding(withoutPlural(word)))
}

function withoutPlural(word: string): string {
  for (const { ending, becomes, keeps } of endings) {
    if (!word.endsWith(ending)) continue
    const left = word.length - ending.length
    return left >= keeps ? word.slice(0, left) + becomes : word
  }
  return word
}

function withoutVerbEnding(word: string): string {
  const ending = verbEndings.find((candidate) => word.endsWith(candidate))
  if (ending === undefined) return word
  const left = word.slice(0, -ending.length)
  if (left.length < 3 || !vowel.test(left)) return word
  if (ending === 'ied') return `${left}y`
  const last = left.at(-1)!
  const isDoubled = last === left.at(-2) && !'lsz'.includes(last)
  return isDoubled ? left.slice(0, -1) : left
}

function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith('e') && !word.endsWith('ee') ? word.slice(0, -1) : word
}
