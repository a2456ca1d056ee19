// What a sentence says, word by word, for the check of citations: its telling words, its names, and what it denies.
import { termsOf, toPairs } from '../index/analyze.ts'
import { fold } from '../index/fold.ts'
import { toWords, type Word } from '../index/words.ts'
import { codeSpans, spansIn } from '../sanitize/code-spans.ts'
import { withOneWord } from './claim-phrases.ts'
import { deniers, denyingNext, empty, general, lacking, linking, negating } from './claim-words.ts'
import { isUnitOrNumber } from './quantities.ts'
import { familyOf, rootOf } from './word-root.ts'

export interface ClaimTerm {
  /** As written. */
  shown: string
  /** The stem; of a name the whole, folded. */
  root: string
  /** All terms that stand for it, of a name its tails (`os.path.join` → `path.join`, `join`). */
  keys: string[]
  /** What a plain word may also find it by: of a name its words, of a word its family (`removal`, `remove`). */
  kin: string[]
  /** From 0 to 1: a word that goes with any subject says little. */
  weight: number
  /** A name of the program's: written as code, or in a way that no plain word is. */
  isName: boolean
  /** Within reach of a `not`. */
  isDenied: boolean
  /** It denies by what it says: `disables`. */
  isNegating: boolean
  /** Something in its clause is denied, missing or turned off. */
  isNearDenial: boolean
}

export interface Claim {
  terms: ClaimTerm[]
  /** Whether anything is denied: `not`, `without`. */
  denies: boolean
  /** Whether anything is said to be missing in another way: `None`, `false`, `empty`, `disables`. */
  lacks: boolean
}

/** So many telling words: `not create any risk` denies `create`. */
const denied = 1
/** Telling words behind a denial that still are within its sense: `does not really delete any old file`. */
const deniedNear = 3
const generalWeight = 0.35
const clauseEnd = /[.,;:!?()–—]|\b(?:but|and|because|if|when|unless)\b/iu

/** Sentences that were read last: quoting and checking read the same passages. */
const remembered = new Map<string, Claim>()
const mostRemembered = 4_000

export function readClaim(written: string): Claim {
  const known = remembered.get(written)
  if (known) return known
  if (remembered.size >= mostRemembered) remembered.clear()
  const claim = read(written)
  remembered.set(written, claim)
  return claim
}

function read(written: string): Claim {
  const text = withOneWord(written.replace(/!=/gu, ' not equal '))
  const terms: ClaimTerm[] = []
  let denies = false
  let lacks = false
  let reach = 0
  let last = 0
  let clause = 0
  const clauseOf: number[] = []
  const negatives: { clause: number; at: number }[] = []
  const inCode = spansIn(codeSpans(text))
  const deny = () => negatives.push({ clause, at: terms.length })
  for (const word of toWords(text)) {
    if (clauseEnd.test(text.slice(last, word.start))) {
      reach = 0
      clause++
    }
    last = word.end
    if (word.isCjk) {
      for (const pair of toPairs(word.text)) terms.push(pairTerm(pair))
      continue
    }
    const [whole, ...rest] = termsOf(word.text)
    if (whole === undefined) continue
    const plain = fold(word.text).replace(/['’]|^[-./:]+|[-./:]+$/gu, '')
    if (deniers.has(plain) || (plain === 'no' && /^\s+longer\b/u.test(text.slice(word.end)))) {
      reach = text.slice(word.end).trimStart().startsWith('only') ? 0 : denied
      denies = true
      deny()
      continue
    }
    if (lacking.has(plain) || negating.has(plain)) deny()
    if (lacking.has(plain) || negating.has(plain)) lacks = true
    if (linking.has(plain)) {
      denies = true
      deny()
      if (denyingNext.has(plain)) reach = denied
      continue
    }
    if (plain === 'nowhere') {
      denies = true
      deny()
      const before = terms.at(-1)
      if (before) before.isDenied = true
      continue
    }
    if (plain === 'but' || plain === 'and' || plain === 'because' || plain === 'if' || plain === 'when') {
      reach = 0
      clause++
    }
    if (empty.has(whole) || isUnitOrNumber(whole)) continue
    const isName = looksLikeName(text, word, inCode)
    // A plain compound (`thread-safe`, `re-raised`) is its parts; a name is one thing, known by its tails.
    const isCompound = !isName && /\p{L}-\p{L}/u.test(word.text) && rest.length > 0
    if (isCompound) {
      const parts = word.text.split('-').filter((part) => part !== '' && !empty.has(fold(part)))
      const isNon = /^(?:non|un|in)$/iu.test(parts[0] ?? '')
      if (isNon) denies = true
      if (isNon) deny()
      const compound = (isNon ? parts.slice(1) : parts).map((part) => plainTerm(part, reach > 0 || isNon))
      compound[0]?.keys.push(whole)
      terms.push(...compound)
    } else {
      terms.push(
        isName ? nameTerm(word.text, whole, rest, reach > 0) : plainTerm(whole, reach > 0, word.text),
      )
    }
    while (clauseOf.length < terms.length) clauseOf.push(clause)
    if (reach > 0 && !/^(?:any|all|\p{L}+ly)$/iu.test(word.text)) reach--
  }
  for (const [at, term] of terms.entries()) {
    term.isNegating = negating.has(fold(term.shown))
    term.isNearDenial = negatives.some(
      (each) => each.clause === clauseOf[at] && isNear(at - each.at, lacking.has(fold(term.shown))),
    )
  }
  return { terms, denies, lacks }
}

/**
 * `distance` of a word behind a denial, in telling words; one that stands for a lack denies others, not itself.
 * `not be specified` 1, `sep is not` 0 and less.
 */
function isNear(distance: number, isLack: boolean): boolean {
  return distance === 0 ? !isLack : distance <= deniedNear && distance >= -1
}

const noDenial = { isDenied: false, isNearDenial: false, isNegating: false }

function plainTerm(written: string, isDenied: boolean, shown = written): ClaimTerm {
  const word = fold(written)
  const known = plainWords.get(word) ?? readPlainWord(word)
  return { ...known, ...noDenial, shown, keys: [known.root, word], isName: false, isDenied }
}

const plainWords = new Map<string, Pick<ClaimTerm, 'root' | 'kin' | 'weight'>>()
const mostWords = 20_000

function readPlainWord(word: string) {
  const root = rootOf(word)
  const family = familyOf(root)
  const weight = general.has(root) || negating.has(word) || word.endsWith('ly') ? generalWeight : 1
  const known = { root, kin: family === null ? [] : [family], weight }
  if (plainWords.size >= mostWords) plainWords.clear()
  plainWords.set(word, known)
  return known
}

function pairTerm(pair: string): ClaimTerm {
  return { ...noDenial, shown: pair, root: pair, keys: [pair], kin: [], weight: 1, isName: false }
}

function nameTerm(shown: string, whole: string, parts: string[], isDenied: boolean): ClaimTerm {
  const kin = parts.flatMap((part) => familyOf(part) ?? []).concat(parts)
  return {
    shown,
    root: whole,
    keys: [whole, ...tailsOf(whole)],
    kin,
    weight: 1,
    isName: true,
    ...noDenial,
    isDenied,
  }
}

function tailsOf(name: string): string[] {
  const parts = name.split('.')
  return parts.slice(1).map((_, at) => parts.slice(at + 1).join('.'))
}

function looksLikeName(
  text: string,
  { text: word, start, end }: Word,
  inCode: (place: number) => boolean,
): boolean {
  const inner = word.replace(/^[-./:]+|[-./:,]+$/gu, '')
  if (/[_\\@$]|\p{L}[./:]\p{L}|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}/u.test(inner) || word.startsWith('--'))
    return !/^(?:and\/or|e\.g|i\.e)$/iu.test(inner)
  if (text[end] === '(' && text[end + 1] === ')') return true
  return inCode(start)
}
