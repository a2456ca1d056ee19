// What a claim stands or falls with: numbers, names, denials, opposites, defaults.
import { withOneWord } from './claim-phrases.ts'
import { type Claim, readClaim } from './claim-terms.ts'
import { holds, holdsQuantity, type ReadPassage, type Statement, toHeld, toStatement } from './statements.ts'
import { contrariesOf, sameAs } from './word-relations.ts'

/** Null: supported. A reason for the trace, in a few words: not. */
export type Doubt = string | null

/** A sentence of the passage, with what it takes up. */
export interface Context {
  statement: Statement
  /** The sentence before, where this one names nothing itself and may go on with it (`It …`, `The default …`). */
  before: Statement | null
  /** Those before and behind it in its paragraph. */
  besides: Statement[]
  /** The example or the item that it leads to. */
  led: Statement | null
  /** The sentence of its paragraph that says what the default is. */
  default: Statement | null
  title: Statement
  signature: Statement
}

/** `claim` and the sentence of the passage that says most of it. */
export function contradictionOf(claim: Statement, context: Context): Doubt {
  const { statement, before, title, signature } = context
  const places = [statement, title, ...(before ? [before] : []), ...(context.led ? [context.led] : [])]
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
  const name = claim.claim.terms.find((term) => term.isName && !places.some(({ held }) => holds(held, term)))
  if (name) return `the passage does not say it of ${name.shown}`
  if (/^(?:no|nobody|none|neither|nothing)\s/iu.test(statement.text) && !deniesMain(claim.text)) {
    return 'the passage denies it'
  }
  for (const { strong, needs, unless, besides } of strongWords) {
    const word = strong.exec(claim.text)?.[0]
    const isSaidBeside = besides !== undefined && context.besides.some(({ text }) => besides.test(text))
    if (word !== undefined && needs.test(statement.text) && !unless.test(statement.text) && !isSaidBeside) {
      return `the passage does not say “${word}” there`
    }
  }
  return (
    doubtOfPolarity(claim.claim, context) ??
    doubtOfUnless(claim, statement) ??
    doubtOfCondition(claim, statement) ??
    doubtOfOrder(claim, statement) ??
    doubtOfBinding(claim, statement) ??
    doubtOfClause(claim.claim, statement) ??
    (/\b(?:unless|except)\b/iu.test(claim.text) ? null : doubtOfContraries(claim.claim, statement))
  )
}

/** Of `A key can do what its maker cannot` the main clause denies nothing. */
function deniesMain(text: string): boolean {
  return readClaim(text.split(/\b(?:that|which|who|what|when|if|unless|because|where)\b/u)[0]!).denies
}

export const saysDefaultFirst = /^(?:the )?defaults?\b|^by default\b/iu

/** A claim may not be wider or narrower than what is said: `always` of what may be, `only` of what need not. */
const strongWords: { strong: RegExp; needs: RegExp; unless: RegExp; besides?: RegExp }[] = [
  {
    strong: /\b(?:always|never|guaranteed|in all cases)\b/iu,
    needs: /\b(?:may|might|sometimes|usually|typically|often|generally|except|in some cases|only)\b/iu,
    unless: /\b(?:always|never|guaranteed|must|every|all)\b/iu,
  },
  {
    strong: /\b(?:only|solely|exclusively)\b/iu,
    needs: /^/u,
    unless: /\b(?:only|just|solely|exclusively|unless|except|must|merely|alone|no other|not)\b/iu,
    besides: /\b(?:only|just|solely|exclusively)\b/iu,
  },
  {
    strong: /\b(?:safe|safely|enough|sufficient|harmless|encrypted|atomic|experimental)\b/iu,
    needs: /^/u,
    unless:
      /\b(?:safe|safely|enough|suffic\p{L}*|harmless|secure\p{L}*|encrypted|atomic\p{L}*|experimental)\b/iu,
  },
  {
    strong: /\b(?:also|as well|too)\b/iu,
    needs: /\bonly\b/iu,
    unless: /\b(?:also|as well|too|even|not only)\b/iu,
  },
]

/** A word that one denies and the other does not; or `without` and the like on one side only. */
function doubtOfPolarity(claim: Claim, { statement: { claim: statement }, besides }: Context): Doubt {
  for (const term of claim.terms) {
    const said = statement.terms.filter((each) => each.root === term.root || sameAs(term.root).has(each.root))
    const differs = term.isDenied
      ? said.some((each) => !each.isNearDenial) && !said.some((each) => each.isDenied)
      : said.length > 0 && !term.isNearDenial && said.every((each) => each.isDenied)
    if (differs) {
      return term.isDenied
        ? `the passage does not deny “${term.shown}”`
        : `the passage denies “${term.shown}”`
    }
  }
  if (!claim.denies || statement.denies || statement.lacks) return null
  const deniedBeside = claim.terms.some(
    (term) => term.isDenied && besides.some((each) => each.claim.denies && holds(each.held, term)),
  )
  return deniedBeside ? null : 'the passage denies nothing there'
}

/** `A unless B` of what happens if B: then A must be the contrary, which the statement does not hold as it is. */
function doubtOfUnless({ text }: Statement, { text: said, held, claim }: Statement): Doubt {
  const main = /^(?<main>.*)\bunless\b/iu.exec(text)?.groups?.main
  if (main === undefined || claim.denies || claim.lacks || !/\b(?:if|when|with)\b/iu.test(said)) return null
  if (/\b(?:unless|except|otherwise)\b/iu.test(said)) return null
  const { terms, denies } = readClaim(main)
  return !denies && terms.length > 0 && terms.every((term) => holds(held, term))
    ? 'the passage says “if” there, not “unless”'
    : null
}

const byItself = /\b(?:by default|normally|usually|always)\b/iu
const condition =
  /\b(?:if|when|unless|with)\b(?<what>[^,;.]*\b(?:specified|given|set|passed|used|enabled|option|true)\b)/iu

/** What happens by default is not what happens if an option is given. */
function doubtOfCondition({ text, claim }: Statement, { text: said }: Statement): Doubt {
  const found = condition.exec(said)
  if (found === null || !byItself.test(text) || claim.denies) return null
  const names = readClaim(found.groups!.what!).terms.filter(({ isName }) => isName)
  const own = toHeld(claim.terms)
  if (names.length === 0 || names.some((name) => holds(own, name))) return null
  const count = (part: string) => {
    const held = toHeld(readClaim(part).terms)
    return claim.terms.filter((term) => holds(held, term)).length
  }
  return count(said.slice(found.index)) > count(said.slice(0, found.index))
    ? 'the passage says it of a condition'
    : null
}

/** `A overrides B` is not `B has precedence over A`. */
function doubtOfOrder({ claim, text }: Statement, { claim: said, text: saidText }: Statement): Doubt {
  const isOfOrder = (each: string) => withOneWord(each).includes('precedence over')
  if (!isOfOrder(text) || !isOfOrder(saidText)) return null
  const names = [...new Set(claim.terms.filter(({ isName }) => isName).map(({ root }) => root))]
  const places = names.map((name) => said.terms.findIndex(({ root }) => root === name))
  const isReversed = places.some((place, at) => at > 0 && place >= 0 && place < places[at - 1]!)
  return isReversed ? 'the passage says it the other way round' : null
}

/** `A is the first, B the second`: what is said of A in its clause is not said of B. */
function doubtOfBinding(claim: Statement, { text }: Statement): Doubt {
  const names = claim.claim.terms.filter(({ isName }) => isName)
  const plain = claim.claim.terms.filter(({ isName, weight }) => !isName && weight === 1)
  if (names.length !== 1 || plain.length === 0) return null
  const [name] = names
  const clauses = text.split(/[,;()]\s|:\s|\s\(/u).map((clause) => toStatement(clause, -1))
  const count = (clause: Statement) => plain.filter((term) => holds(clause.held, term)).length
  const isOfIt = (clause: Statement) =>
    holds(clause.held, name!) && claim.quantities.every((each) => holdsQuantity(clause, each))
  const own = clauses.filter(isOfIt)
  if (own.length === 0 || own.some((clause) => count(clause) > 1)) return null
  const most = Math.max(...own.map(count))
  const isOfOther = clauses.some(
    (clause) => !isOfIt(clause) && count(clause) > most && clause.claim.terms.some(({ isName }) => isName),
  )
  return isOfOther ? `the passage does not say it of ${name!.shown}` : null
}

const clauseEnds = /[,;:()–—]|\b(?:but|and|or|if|when|unless|because|so|while|although|which|that|who)\b/iu
const denial =
  /\b(?:is|are|was|were|do|does|did|can|could|should|will|would|must|may|might|has|have)\s+not\b|\bcannot\b|n['’]t\b/iu
const mainShare = 0.6

/** The clause that holds most of the claim denies as a whole what the claim does not: `X alone is not a reason for Y`. */
function doubtOfClause({ terms, denies }: Claim, { text }: Statement): string | null {
  if (denies || terms.length === 0) return null
  for (const clause of text.split(clauseEnds)) {
    if (!denial.test(clause)) continue
    const said = toHeld(readClaim(clause).terms)
    // `turns off pruning` says what `do not prune` does.
    if (terms.some((term) => term.isNegating && !holds(said, term))) continue
    if (terms.filter((term) => holds(said, term)).length >= mainShare * terms.length)
      return 'the passage denies it'
  }
  return null
}

function doubtOfContraries({ terms }: Claim, statement: Statement): Doubt {
  for (const { root, shown, isDenied } of terms) {
    if (isDenied || statement.held.keys.has(root)) continue
    for (const contrary of contrariesOf(root)) {
      const said = statement.claim.terms.find((each) => each.root === contrary && !each.isDenied)
      if (said) return `the passage says “${said.shown}”, not “${shown}”`
    }
  }
  return null
}

const literal = /^(?:true|false|on|off|none|null|yes|no|zero|infinity|undefined)$/u
const defaultClaims = [
  /\bdefault:\s+(?<value>[^\s,;]+)/giu,
  /\bdefaults?\s+(?:value\s+)?(?:of\s+\S+\s+)?(?:is|are|to|being|=)\s+(?<value>[^\s,;]+)/giu,
  /\bdefaults?\s+to\s+(?<value>[^\s,;]+)/giu,
  /(?<value>[^\s,;(]+)\s+(?:\(the default\)|by default)/giu,
]

/** A claim of what the default is must agree with what the passage says that it is, where that says it at all. */
export function doubtOfDefault(text: string, of: Statement, { statements }: ReadPassage): Doubt {
  const claimed = defaultsIn(text)
  if (claimed.length === 0) return null
  const ofBlock = statements
    .filter(({ block }) => block === of.block)
    .flatMap((each) => defaultsIn(each.text))
  const said = new Set(
    ofBlock.length > 0 ? ofBlock : statements.flatMap((statement) => defaultsIn(statement.text)),
  )
  const isOne = claimed.some((value) => said.has(value))
  const isPlain = claimed.every(
    (value) =>
      /^[\p{L}]+$/u.test(value) && !literal.test(value) && ![...said].some((each) => value.includes(each)),
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
