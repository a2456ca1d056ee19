// Whether a passage supports a sentence of an answer (decisions.md "Chat", checked sources). Lexical and deterministic:
// the passage's sentence that says most of the same is found, then asked for what a claim stands or falls with.
//
//   claim    "The timeout of `wait()` is never longer than 4MB"     terms: timeout, wait, long (denied), quantity 4MB
//   passage  "… The timeout may be longer than …"                   timeout, long                    → contradicts: denied
//            "Buffers are 4MB."                                     quantity, but of another sentence → not said there
import type { ModelPassage } from '../model/model.ts'
import { type ClaimTerm, readClaim } from './claim-terms.ts'
import {
  type Context,
  contradictionOf,
  type Doubt,
  doubtOfDefault,
  saysDefaultFirst,
} from './contradictions.ts'
import { isOfOtherLanguage } from './language.ts'
import { type Quantity, readQuantities } from './quantities.ts'
import {
  holds,
  holdsQuantity,
  type ReadPassage,
  readPassage,
  type Statement,
  squeeze,
  toStatement,
  withoutMarks,
} from './statements.ts'

/** Share of a claim's words that its sentence in the passage must hold: of a short one each word counts. */
const enough = (words: number) => (words < 5 ? 0.76 : words < 8 ? 0.7 : 0.62)
/** What a word counts that the sentence's neighbour has, or only the title. */
const nearby = 0.75
const inTitle = 0.4
/** What a word counts against a claim that stands elsewhere in the passage, beside 1 for one that stands nowhere. */
const misplaced = 1.3
const codeEnough = 0.7
/** A sentence that says nearly as much may agree where the first does not. */
const nearly = 0.9
/** Telling words from which on a clause is judged by itself. */
const leastClause = 2.5
const longestClaim = 4_000
/** Of a sentence that gathers: its least number of telling words, and the share of them that may be missing. */
const fewestGathered = 8
const mostMissing = 0.5
/** Words that a passage must hold itself. */
const narrowing = /^(?:only|always|never|solely|exclusively)$/iu
const unsaid = 'the passage does not say this'
/** Letters from which on a verbatim quote says something. */
const shortestQuote = 20

/** Passages that were read last: many questions find the same ones. */
const remembered = new Map<string, ReadPassage>()
const mostRemembered = 200

/** `kind`: code is supported by a passage that holds its words. */
export function doubtOf(
  sentence: { kind: 'prose' | 'code'; text: string },
  passage: Pick<ModelPassage, 'title' | 'text'>,
): Doubt {
  const read = recall(passage)
  if (sentence.text.length > longestClaim) return 'is too long to be checked'
  if (sentence.kind === 'code') return doubtOfCode(sentence.text, read)
  if (isQuoted(sentence.text, read) || isTitle(sentence.text, read)) return null
  for (const clause of toClauses(sentence.text)) {
    const doubt = doubtOfClause(clause, read)
    if (doubt === null) continue
    if (doubt === unsaid && isGathered(sentence.text, read)) return null
    return isOfOtherLanguage(sentence.text, read.language) ? doubtOfNames(sentence.text, read) : doubt
  }
  return null
}

function recall(passage: Pick<ModelPassage, 'title' | 'text'>): ReadPassage {
  const key = `${passage.title}\n${passage.text}`
  const read = remembered.get(key) ?? readPassage(passage)
  remembered.delete(key)
  remembered.set(key, read)
  if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value!)
  return read
}

/** Words of another language cannot be compared: names, numbers and code must then be the passage's. */
function doubtOfNames(text: string, { held, statements, signature }: ReadPassage): Doubt {
  const { claim, quantities } = toStatement(withoutMarks(text), -1)
  const name = claim.terms.find((term) => term.isName && !holds(held, term))
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
    terms.every((term) => holds(signature.held, term)) &&
    terms.length >= signature.claim.terms.length / 2
  )
}

/** The parts that a claim is made of: it falls with any of them. */
export function toClauses(text: string): string[] {
  const shown = withoutMarks(text)
  const parts = shown.split(
    /;\s|,\s+(?:but|and|so|while|whereas)\s|\s+and\s+(?=(?:it|they|can|cannot|is|are|was|were|will|must|may|has|have|does|do|returns?|raises?|defaults?)\b)|\s+but\s+/u,
  )
  const clauses: string[] = []
  for (const part of parts) {
    const { terms } = readClaim(part)
    const saysLittle =
      terms.reduce((sum, { weight }) => sum + weight, 0) < leastClause &&
      !terms.some(({ isName }) => isName) &&
      readQuantities(part).length === 0
    // `…, so make another`: nothing that could be found by itself.
    if (saysLittle && clauses.length > 0) clauses.push(`${clauses.pop()}, ${part}`)
    else if (terms.length > 0 || !saysLittle) clauses.push(part)
  }
  return clauses.length > 0 ? clauses : [shown]
}

function doubtOfClause(text: string, passage: ReadPassage): Doubt {
  const claim = toStatement(text, -1)
  if (claim.claim.terms.length === 0 && claim.quantities.length === 0)
    return 'says nothing that could be checked'
  const likely = passage.statements
    .map((_, at) => rate(claim, at, passage))
    .filter(({ share, words }) => share >= enough(words))
    .sort((a, b) => b.held - a.held)
  let first: Doubt = null
  for (const { context, held } of likely) {
    if (held < nearly * likely[0]!.held) break
    const doubt = contradictionOf(claim, context)
    if (doubt === null) return doubtOfDefault(text, context.statement, passage)
    first ??= doubt
  }
  return first ?? unsaid
}

/**
 * Whether a long sentence gathers what the passage says in several of its own, as models like to write: the passage holds
 * at least half of what it says, and each of its names and numbers. No sentence of the passage says as much alone, so
 * none is asked for what the claim stands or falls with.
 */
function isGathered(text: string, { statements, title, signature, held }: ReadPassage): boolean {
  const { claim, quantities } = toStatement(withoutMarks(text), -1)
  if (claim.terms.length < fewestGathered) return false
  const weightOf = (terms: ClaimTerm[]) => terms.reduce((sum, { weight }) => sum + weight, 0)
  const missing = claim.terms.filter((term) => !holds(held, term))
  if (missing.some(({ isName, shown }) => isName || narrowing.test(shown))) return false
  const places = [title, signature, ...statements]
  const isSaid = (quantity: Quantity) => places.some((place) => holdsQuantity(place, quantity))
  return quantities.every(isSaid) && weightOf(missing) <= mostMissing * weightOf(claim.terms)
}

/**
 * `held`: how much of the claim the sentence itself says. `share`: of all that the claim says; the sentences beside it
 * help, and what stands elsewhere in the passage, and may be said of something else, speaks against it.
 */
function rate(claim: Statement, at: number, passage: ReadPassage) {
  const { statements, title, signature } = passage
  const statement = statements[at]!
  const led = /:$/u.test(statement.text) ? (statements[at + 1] ?? null) : null
  const besides = [statements[at - 1], statements[at + 1]].filter(
    (each) => each !== undefined && (each.block === statement.block || each === led),
  )
  let held = 0
  let helped = 0
  let most = 0
  for (const term of claim.claim.terms) {
    const isHeld = holds(statement.held, term)
    const isTitle = !isHeld && holds(title.held, term)
    const isBeside = !isHeld && !isTitle && besides.some((each) => holds(each!.held, term))
    const isElsewhere = !isHeld && !isTitle && !isBeside && holds(passage.held, term)
    held += term.weight * (isHeld ? 1 : isTitle ? inTitle : 0)
    helped += term.weight * (isBeside ? nearby : 0)
    most += term.weight * (isTitle ? inTitle : isElsewhere ? misplaced : 1)
  }
  for (const quantity of claim.quantities) {
    most += 1
    if (holdsQuantity(statement, quantity)) held += 1
  }
  const before = statement.claim.terms.some(({ isName }) => isName) ? undefined : statements[at - 1]
  return {
    held,
    share: (held + helped) / most,
    words: most,
    context: {
      statement,
      besides: besides.filter((each) => each !== undefined),
      led,
      before: before?.block === statement.block ? before : null,
      default:
        statements.find((each) => each.block === statement.block && saysDefaultFirst.test(each.text)) ?? null,
      title,
      signature,
    } satisfies Context,
  }
}

function doubtOfCode(code: string, passage: ReadPassage): Doubt {
  const { terms } = readClaim(code)
  if (terms.length === 0) return 'says nothing that could be checked'
  const held = terms.filter((term) => holds(passage.held, term)).length
  return held / terms.length >= codeEnough ? null : 'the passage does not hold this code'
}
