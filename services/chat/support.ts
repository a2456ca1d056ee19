// Whether a passage supports a sentence of an answer (decisions.md "Chat", checked sources). Lexical and deterministic:
// the passage's sentence that says most of the same is found, then asked for what a claim stands or falls with.
//
//   claim    "The timeout of `wait()` is never longer than 4MB"     terms: timeout, wait, long (denied), quantity 4MB
//   passage  "… The timeout may be longer than …"                   timeout, long                    → contradicts: denied
//            "Buffers are 4MB."                                     quantity, but of another sentence → not said there
import type { ModelPassage } from '../model/model.ts'
import { readPassageText } from '../search/passage-text.ts'
import { type Claim, type ClaimTerm, readClaim } from './claim-terms.ts'
import { isOfOtherLanguage, type Language, languageOf } from './language.ts'
import { type Quantity, readQuantities, readUnits } from './quantities.ts'
import { splitSentences } from './sentences.ts'
import { contrariesOf, sameAs } from './word-relations.ts'

/** Null: supported. A reason for the trace, in a few words: not. */
export type Doubt = string | null

/** Share of a claim's words that its sentence in the passage must hold. */
const enough = 0.67
/** What a word counts that the sentence's neighbour has, or only the title. */
const nearby = 0.6
const inTitle = 0.4
/** What a word counts against a claim that stands elsewhere in the passage, beside 1 for one that stands nowhere. */
const misplaced = 1.5
const codeEnough = 0.7
const longestClaim = 4_000
/** Letters from which on a verbatim quote says something. */
const shortestQuote = 20

interface Statement {
  claim: Claim
  keys: Set<string>
  quantities: Quantity[]
  units: Map<string, string>
  text: string
  /** Paragraph, to which its neighbours belong. */
  block: number
}

export interface ReadPassage {
  statements: Statement[]
  /** The title's name, without parameters: what the passage is about. */
  title: Statement
  /** The title in full. */
  signature: Statement
  /** Everything that it holds. */
  keys: Set<string>
  /** Its letters, to find quotes in. */
  squeezed: string
  language: Language
}

const remembered = new WeakMap<Pick<ModelPassage, 'title' | 'text'>, ReadPassage>()

/** `kind`: code is supported by a passage that holds its words. */
export function doubtOf(
  sentence: { kind: 'prose' | 'code'; text: string },
  passage: Pick<ModelPassage, 'title' | 'text'>,
): Doubt {
  const read = remembered.get(passage) ?? readPassage(passage)
  remembered.set(passage, read)
  if (sentence.text.length > longestClaim) return 'is too long to be checked'
  if (sentence.kind === 'code') return doubtOfCode(sentence.text, read)
  if (isQuoted(sentence.text, read) || isTitle(sentence.text, read)) return null
  for (const clause of toClauses(sentence.text)) {
    const doubt = doubtOfClause(clause, read)
    if (doubt === null) continue
    return isOfOtherLanguage(sentence.text, read.language) ? doubtOfNames(sentence.text, read) : doubt
  }
  return null
}

/** Words of another language cannot be compared: names, numbers and code must then be the passage's. */
function doubtOfNames(text: string, { keys, statements, signature }: ReadPassage): Doubt {
  const { claim, quantities } = toStatement(withoutMarks(text), -1)
  const name = claim.terms.find((term) => term.isName && !holds(keys, term))
  if (name) return `the passage does not name ${name.shown}`
  const number = quantities.find(
    ({ value }) =>
      ![signature, ...statements].some((each) => holdsQuantity(each, { shown: '', value, measure: null })),
  )
  return number ? `the passage does not say ${number.shown}` : null
}

/** Word for word, perhaps behind a title in bold. */
function isQuoted(text: string, { squeezed }: ReadPassage): boolean {
  const said = squeeze(withoutMarks(text.replace(/^\*\*.+?\*\*:?\s+/u, '')))
  return said.length >= shortestQuote && squeezed.includes(said)
}

/** Nothing but the passage's name: what a list of further reading holds. */
function isTitle(text: string, { signature }: ReadPassage): boolean {
  const { terms } = readClaim(withoutMarks(text).replace(/^see also:?\s+/iu, ''))
  return (
    terms.length > 0 &&
    terms.every((term) => holds(signature.keys, term)) &&
    terms.length >= signature.claim.terms.length / 2
  )
}

function withoutMarks(text: string): string {
  return text.replace(/\*\*/gu, '').replace(/\\([\\`*_[\]<>#|~()])/gu, '$1')
}

function squeeze(text: string): string {
  return text.toLowerCase().replace(/[\s`*\\]+|[.:!?]+$/gu, '')
}

function readPassage({ title, text }: Pick<ModelPassage, 'title' | 'text'>): ReadPassage {
  const statements: Statement[] = []
  let block = 0
  for (const { kind, text: whole } of readPassageText(text)) {
    // What is said of a version holds for each sentence of its paragraph, which has nothing else to do with the others.
    const version = /^(?:New|Changed|Added|Deprecated|Removed)\b[^:.]*\d[\d.]*\d?:/u.exec(whole)?.[0]
    const lines = kind === 'paragraph' ? [whole.replace(/\n/gu, ' ')] : whole.split('\n')
    for (const line of kind === 'code' ? [] : lines) {
      block++
      for (const [at, sentence] of splitSentences(line.replace(/^- /u, '')).entries()) {
        const isOfVersion = version !== undefined && at > 0
        if (isOfVersion) block++
        statements.push(toStatement(isOfVersion ? `${version} ${sentence.text}` : sentence.text, block))
      }
    }
    if (kind === 'code') statements.push(toStatement(whole, ++block))
  }
  // The parameters of a signature are no subject: each is told of somewhere in the text.
  const shownTitle = toStatement(title.split(/\((?!\))/u)[0]!, -1)
  const signature = toStatement(title, -1)
  const keys = new Set([signature, ...statements].flatMap(({ keys }) => [...keys]))
  return {
    statements,
    title: shownTitle,
    signature,
    keys,
    squeezed: squeeze(text),
    language: languageOf(text),
  }
}

function toStatement(text: string, block: number): Statement {
  const claim = readClaim(text)
  const keys = new Set(claim.terms.flatMap(({ keys }) => keys))
  return { claim, keys, quantities: readQuantities(text), units: readUnits(text), text, block }
}

/** The parts that a claim is made of: it falls with any of them. */
export function toClauses(text: string): string[] {
  const shown = withoutMarks(text)
  const parts = shown.split(
    /;\s|,\s+(?:but|and|so|while|whereas)\s|\s+and\s+(?=(?:it|they|can|cannot|is|are|was|were|will|must|may|has|have|does|do|returns?|raises?|defaults?)\b)|\s+but\s+/u,
  )
  const clauses = parts.filter((part) => readClaim(part).terms.length > 0 || readQuantities(part).length > 0)
  return clauses.length > 0 ? clauses : [shown]
}

function doubtOfClause(text: string, passage: ReadPassage): Doubt {
  const claim = toStatement(text, -1)
  if (claim.claim.terms.length === 0 && claim.quantities.length === 0)
    return 'says nothing that could be checked'
  const likely = passage.statements
    .map((_, at) => rate(claim, at, passage))
    .filter(({ share }) => share >= enough)
    .sort((a, b) => b.held - a.held)
  let first: Doubt = null
  // Another sentence that says as much may agree where the first does not.
  for (const { context, held } of likely) {
    if (held < likely[0]!.held) break
    const doubt = contradictionOf(claim, context)
    if (doubt === null) return doubtOfDefault(text, passage)
    first ??= doubt
  }
  return first ?? 'the passage does not say this'
}

/** A sentence of the passage, with what it takes up. */
interface Context {
  statement: Statement
  /** The sentence before, where this one names nothing itself and may go on with it (`It …`, `The default …`). */
  before: Statement | null
  /** The sentence of its paragraph that says what the default is. */
  default: Statement | null
  title: Statement
  signature: Statement
}

/**
 * `held`: how much of the claim the sentence itself says. `share`: of all that the claim says; the sentences beside it
 * help, and what stands elsewhere in the passage, and may be said of something else, speaks against it.
 */
function rate(claim: Statement, at: number, { statements, title, signature, keys }: ReadPassage) {
  const statement = statements[at]!
  const besides = [statements[at - 1], statements[at + 1]].filter((each) => each?.block === statement.block)
  let held = 0
  let helped = 0
  let most = 0
  for (const term of claim.claim.terms) {
    const isHeld = holds(statement.keys, term)
    const isTitle = !isHeld && holds(title.keys, term)
    const isBeside = !isHeld && !isTitle && besides.some((each) => holds(each!.keys, term))
    const isElsewhere = !isHeld && !isTitle && !isBeside && holds(keys, term)
    held += isHeld ? 1 : isTitle ? inTitle : 0
    helped += isBeside ? nearby : 0
    most += isTitle ? inTitle : isElsewhere ? misplaced : 1
  }
  for (const quantity of claim.quantities) {
    most += 1
    if (holdsQuantity(statement, quantity)) held += 1
  }
  const before = statement.claim.terms.some(({ isName }) => isName) ? undefined : statements[at - 1]
  return {
    held,
    share: (held + helped) / most,
    context: {
      statement,
      before: before?.block === statement.block ? before : null,
      default:
        statements.find((each) => each.block === statement.block && saysDefaultFirst.test(each.text)) ?? null,
      title,
      signature,
    },
  }
}

function holds(keys: Set<string>, { keys: own, root, isName }: ClaimTerm): boolean {
  if (own.some((key) => keys.has(key))) return true
  if (isName) return false
  for (const other of sameAs(root)) if (keys.has(other)) return true
  return false
}

function holdsQuantity({ quantities }: Statement, { value, measure }: Quantity): boolean {
  return quantities.some((each) => (measure === null ? each.value === value : each.measure === measure))
}

function contradictionOf(claim: Statement, context: Context): Doubt {
  const { statement, before, title, signature } = context
  const places = [statement, title, ...(before ? [before] : [])]
  const saysDefault = claim.claim.terms.some(({ root }) => root === 'default')
  const ofDefault = saysDefault ? [signature, ...(context.default ? [context.default] : [])] : []
  const number = claim.quantities.find(
    (each) => ![statement, title, ...ofDefault].some((place) => holdsQuantity(place, each)),
  )
  if (number) return `the passage does not say ${number.shown} there`
  for (const [unit, shown] of claim.units) {
    const kind = unit.split(' ')[0]!
    const isSaid =
      statement.units.has(unit) ||
      [...statement.quantities, ...claim.quantities].some(({ measure }) => measure?.startsWith(kind))
    if (!isSaid) return `the passage does not say ${shown} there`
  }
  const name = claim.claim.terms.find((term) => term.isName && !places.some(({ keys }) => holds(keys, term)))
  if (name) return `the passage does not say it of ${name.shown}`
  if (/^no\s/iu.test(statement.text) && !claim.claim.denies) return 'the passage denies it'
  for (const { strong, needs, unless } of strongWords) {
    const word = strong.exec(claim.text)?.[0]
    if (word !== undefined && needs.test(statement.text) && !unless.test(statement.text)) {
      return `the passage does not say “${word}” there`
    }
  }
  return doubtOfPolarity(claim.claim, statement.claim) ?? doubtOfContraries(claim.claim, statement)
}

const saysDefaultFirst = /^(?:the )?defaults?\b|^by default\b/iu

/** A claim may not be wider or narrower than what is said: `always` of what may be, `only` of what need not. */
const strongWords = [
  {
    strong: /\b(?:always|never|guaranteed|in all cases)\b/iu,
    needs: /\b(?:may|might|sometimes|usually|typically|often|generally|except|in some cases)\b/iu,
    unless: /\b(?:always|never|guaranteed|must|every|all)\b/iu,
  },
  {
    strong: /\b(?:only|solely|exclusively)\b/iu,
    needs: /^/u,
    unless: /\b(?:only|just|solely|exclusively|unless|except|must|merely|alone|no other|not)\b/iu,
  },
]

/** A word that one denies and the other does not; or `without` and the like on one side only. */
function doubtOfPolarity(claim: Claim, statement: Claim): Doubt {
  for (const term of claim.terms) {
    const said = statement.terms.filter((each) => each.root === term.root || sameAs(term.root).has(each.root))
    if (said.length > 0 && said.every((each) => each.isDenied !== term.isDenied)) {
      return term.isDenied
        ? `the passage does not deny “${term.shown}”`
        : `the passage denies “${term.shown}”`
    }
  }
  return claim.denies && !statement.denies ? 'the passage denies nothing there' : null
}

function doubtOfContraries({ terms }: Claim, statement: Statement): Doubt {
  if (statement.claim.denies) return null
  for (const { root, shown, isDenied } of terms) {
    if (isDenied || statement.keys.has(root)) continue
    for (const contrary of contrariesOf(root)) {
      const said = statement.claim.terms.find((each) => each.root === contrary && !each.isDenied)
      if (said) return `the passage says “${said.shown}”, not “${shown}”`
    }
  }
  return null
}

const defaultClaims = [
  /\bdefaults?\s+(?:value\s+)?(?:of\s+\S+\s+)?(?:is|are|to|being|=)\s+(?<value>[^\s,;]+)/giu,
  /\bdefaults?\s+to\s+(?<value>[^\s,;]+)/giu,
  /(?<value>[^\s,;(]+)\s+(?:\(the default\)|by default)/giu,
]

/** A claim of what the default is must agree with what the passage says that it is, where that says it at all. */
function doubtOfDefault(text: string, { statements }: ReadPassage): Doubt {
  const claimed = defaultsIn(text)
  if (claimed.length === 0) return null
  const said = new Set(statements.flatMap((statement) => defaultsIn(statement.text)))
  const isOne = claimed.some((value) => said.has(value))
  const isPlain = claimed.every(
    (value) => /^[\p{L}]+$/u.test(value) && ![...said].some((each) => value.includes(each)),
  )
  if (said.size === 0 || isOne) return null
  return isPlain && !said.has(claimed[0]!) && said.size > 0 && !/^[a-z]+(?:_[a-z]+)+$/u.test(claimed[0]!)
    ? null
    : `the passage names another default than ${claimed[0]}`
}

function defaultsIn(text: string): string[] {
  return defaultClaims.flatMap((form) =>
    [...text.matchAll(form)].map(({ groups }) =>
      groups!.value!.replace(/^[`"'“‘(]+|[`"'”’).:]+$/gu, '').toLowerCase(),
    ),
  )
}

function doubtOfCode(code: string, { keys }: ReadPassage): Doubt {
  const { terms } = readClaim(code)
  if (terms.length === 0) return 'says nothing that could be checked'
  const held = terms.filter((term) => holds(keys, term)).length
  return held / terms.length >= codeEnough ? null : 'the passage does not hold this code'
}
