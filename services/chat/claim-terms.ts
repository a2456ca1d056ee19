// What a sentence says, word by word, for the check of citations: its telling words, its names, and what it denies.
import { termsOf, toPairs } from '../index/analyze.ts'
import { fold } from '../index/fold.ts'
import { toWords } from '../index/words.ts'
import { isUnitOrNumber } from './quantities.ts'
import { rootOf } from './word-relations.ts'

export interface ClaimTerm {
  /** As written. */
  shown: string
  /** The stem; of a name the whole, folded. */
  root: string
  /** All terms that stand for it, of a name its tails (`os.path.join` → `path.join`, `join`). */
  keys: string[]
  /** A name of the program's: written as code, or in a way that no plain word is. */
  isName: boolean
  /** Within reach of a `not`. */
  isDenied: boolean
}

export interface Claim {
  terms: ClaimTerm[]
  /** Whether anything is denied: `not`, `without`, `unless`. */
  denies: boolean
  /** Whether anything is said to be missing in another way: `None`, `false`, `empty`. */
  lacks: boolean
}

const empty = new Set(
  `a an and are as at be been but by can could do does did done for from had has have he her his how i if in into is it
  its itself me my of or our out shall she should so some such than that the their them then there these they this those
  thus to too up us use used uses using want was way we were what when where which while who why will with would you your
  also again already however therefore because since though although both either each every other another own same very
  just simply actually even yet still may might about via per e.g i.e etc here get got make see note example following
  against across along among beside toward towards onto off once upon until during within between among whether thing something one two s t re set sets setting version really
  python postgresql documentation`.split(/\s+/u),
)
/** They deny the next words of the clause. */
const deniers = new Set(
  `not never cannot nor neither cant dont doesnt isnt arent wont didnt wasnt shouldnt mustnt neednt unable`.split(
    ' ',
  ),
)
/** So many telling words: `not create any risk` denies `create`. */
const denied = 1
const lacking = new Set(
  'none null false off missing invalid avoid prevent lost zero empty unset omitted absent disabled lack fail'.split(
    ' ',
  ),
)
/** They deny what follows, and say nothing themselves. */
const linking = new Set('without no except unless nothing'.split(' '))
const clauseEnd = /[.,;:!?()–—]|\b(?:but|and|because|if|when|unless)\b/iu

export function readClaim(written: string): Claim {
  const text = written.replace(/!=/gu, ' not equal ')
  const terms: ClaimTerm[] = []
  let denies = false
  let lacks = false
  let reach = 0
  let last = 0
  for (const word of toWords(text)) {
    if (clauseEnd.test(text.slice(last, word.start))) reach = 0
    last = word.end
    if (word.isCjk) {
      for (const pair of toPairs(word.text))
        terms.push({ shown: pair, root: pair, keys: [pair], isName: false, isDenied: false })
      continue
    }
    const [whole, ...rest] = termsOf(word.text)
    if (whole === undefined) continue
    const plain = fold(word.text).replace(/['’]/gu, '')
    if (deniers.has(plain) || (plain === 'no' && /^\s+longer\b/u.test(text.slice(word.end)))) {
      reach = text.slice(word.end).trimStart().startsWith('only') ? 0 : denied
      denies = true
      continue
    }
    if (lacking.has(plain)) lacks = true
    if (linking.has(plain)) {
      denies = true
      continue
    }
    if (plain === 'but' || plain === 'and' || plain === 'because' || plain === 'if' || plain === 'when')
      reach = 0
    if (empty.has(whole) || isUnitOrNumber(whole)) continue
    const isName = looksLikeName(text, word)
    // A plain compound (`thread-safe`, `re-raised`) is its parts; a name is one thing, known by its tails.
    const isCompound = !isName && /\p{L}-\p{L}/u.test(word.text) && rest.length > 0
    if (isCompound) {
      const parts = word.text.split('-').filter((part) => part !== '' && !empty.has(fold(part)))
      const isNon = /^(?:non|un|in)$/iu.test(parts[0] ?? '')
      if (isNon) denies = true
      for (const part of isNon ? parts.slice(1) : parts) terms.push(plainTerm(part, reach > 0 || isNon))
    } else {
      const root = isName ? whole : rootOf(whole)
      terms.push({
        shown: word.text,
        root,
        keys: isName ? [whole, ...tailsOf(whole)] : [root, whole],
        isName,
        isDenied: reach > 0,
      })
    }
    if (reach > 0 && !/^(?:any|all|\p{L}+ly)$/iu.test(word.text)) reach--
  }
  return { terms, denies, lacks }
}

function plainTerm(word: string, isDenied: boolean): ClaimTerm {
  const root = rootOf(fold(word))
  return { shown: word, root, keys: [root, fold(word)], isName: false, isDenied }
}

function tailsOf(name: string): string[] {
  const parts = name.split('.')
  return parts.slice(1).map((_, at) => parts.slice(at + 1).join('.'))
}

function looksLikeName(
  text: string,
  { text: word, start, end }: { text: string; start: number; end: number },
): boolean {
  const inner = word.replace(/^[-./:]+|[-./:,]+$/gu, '')
  if (/[_\\@$]|\p{L}[./:]\p{L}|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}/u.test(inner) || word.startsWith('--'))
    return !/^(?:and\/or|e\.g|i\.e)$/iu.test(inner)
  if (text[end] === '(' && text[end + 1] === ')') return true
  const ticks = text.slice(0, start).split('`').length - 1
  return ticks % 2 === 1 && text.indexOf('`', end) >= 0
}
