// From text to the terms that index and queries share. A term is what the index compares, letter by letter.
// An identifier yields the whole and its parts, a word its exact form and its stem: exact forms are never lost.
import { toOwnText } from '../../crawler/extract/visible.ts'
import { fold, foldMarks } from './fold.ts'
import { stem } from './stem.ts'
import { eachWord } from './words.ts'

/** Changes when analysis makes other units from the same page, so that stored pages are indexed again. */
export const analyzerVersion = 'a5'

/** Longer ones are encoded data rather than words; only their parts are kept. */
const maxTermLength = 80
/** Enough for the words of a large manual; beyond, the memory starts anew. */
const rememberedWords = 50_000

const remembered = new Map<string, string[]>()

/**
 * The terms of a text, in order, with repetitions. `asyncio.create_task` →
 * `asyncio.create_task`, `asyncio`, `create_task`, `create`, `creat`, `task`. Takes any text; linear in its length.
 */
export function analyze(text: string): string[] {
  const terms: string[] = []
  eachWord(text, (start, end, isCjk) => {
    const word = text.slice(start, end)
    for (const term of isCjk ? toPairs(word) : readTerms(word)) terms.push(term)
  })
  return terms
}

/** The terms as they are stored in a unit and indexed. */
export function analyzeJoined(text: string): string {
  return analyze(text).join(' ')
}

/** The terms of one word as `eachWord` cuts it, the whole word first. */
export function readTerms(part: string): string[] {
  const known = remembered.get(part)
  if (known !== undefined) return known
  if (remembered.size >= rememberedWords) remembered.clear()
  const word = toOwnText(part)
  const terms = [...new Set(readWord(word))].filter((term) => term.length <= maxTermLength)
  remembered.set(word, terms)
  return terms
}

/** `全文検索` → `全文`, `文検`, `検索`; one character stays alone. */
export function toPairs(run: string): string[] {
  const characters = fold(run)
  if (characters.length < 2) return [characters]
  return Array.from({ length: characters.length - 1 }, (_, at) => characters.slice(at, at + 2))
}

const lowerAscii = /^[a-z]+$/
const joints = new Set("-./:\\@$#+'")
/** Marks before a word that make it another word. */
const tellingBefore = /(?:--?|[.@$\\#/])$/u
/** `C++`, `C#`, `F#`. */
const tellingAfter = /^(?:\+\+|#)/u
/** What French, Italian and Catalan join to the next word: `l'armure`, `qu'il`, `dell'utente`. */
const elision = /^(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|(?:a|co|da|de|ne|que|su)ll|gl|un)'(?=\p{L}{2})/iu
const apostrophes = /'/gu

function readWord(word: string): string[] {
  if (lowerAscii.test(word)) return withStem(word)
  const { before, core, after } = cutEdges(foldMarks(word).replaceAll('’', "'"))
  const inner = core.replace(/'s$/u, '').replace(elision, '').replace(apostrophes, '')
  if (inner === '') return []
  const terms: string[] = []
  const mark = tellingBefore.exec(before)?.[0]
  if (mark !== undefined && before.length <= 2) terms.push(fold(mark + inner))
  const sign = core.length <= 2 ? tellingAfter.exec(after)?.[0] : undefined
  if (sign !== undefined) terms.push(fold(inner + sign))
  return [...terms, ...readIdentifier(inner)]
}

/** `--dry-run` → `--`, `dry-run`, nothing. */
function cutEdges(word: string) {
  let start = 0
  while (start < word.length && joints.has(word[start]!)) start++
  let end = word.length
  while (end > start && joints.has(word[end - 1]!)) end--
  return { before: word.slice(0, start), core: word.slice(start, end), after: word.slice(end) }
}

const separators = /[-./:\\@$#+]+/u
/** A path with more parts is an address: its tails say nothing. */
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
