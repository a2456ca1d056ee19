// What a claim stands or falls with: numbers, names, denials, opposites, defaults.
import { type Claim, readClaim } from './claim-terms.ts'
import { holds, holdsQuantity, type ReadPassage, type Statement } from './statements.ts'
import { contrariesOf, sameAs } from './word-relations.ts'

/** Null: supported. A reason for the trace, in a few words: not. */
export type Doubt = string | null

/** A sentence of the passage, with what it takes up. */
export interface Context {
  statement: Statement
  /** The sentence before, where this one names nothing itself and may go on with it (`It …`, `The default …`). */
  before: Statement | null
  /** The sentence of its paragraph that says what the default is. */
  default: Statement | null
  title: Statement
  signature: Statement
}

/** `claim` and the sentence of the passage that says most of it. */
export function contradictionOf(claim: Statement, context: Context): Doubt {
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
  return (
    doubtOfPolarity(claim.claim, statement.claim) ??
    doubtOfClause(claim.claim, statement) ??
    (/\b(?:unless|except)\b/iu.test(claim.text) ? null : doubtOfContraries(claim.claim, statement))
  )
}

export const saysDefaultFirst = /^(?:the )?defaults?\b|^by default\b/iu

/** A claim may not be wider or narrower than what is said: `always` of what may be, `only` of what need not. */
const strongWords = [
  {
    strong: /\b(?:always|never|guaranteed|in all cases)\b/iu,
    needs: /\b(?:may|might|sometimes|usually|typically|often|generally|except|in some cases|only)\b/iu,
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
  return claim.denies && !statement.denies && !statement.lacks ? 'the passage denies nothing there' : null
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
    const keys = new Set(readClaim(clause).terms.flatMap((term) => term.keys))
    if (terms.filter((term) => holds(keys, term)).length >= mainShare * terms.length)
      return 'the passage denies it'
  }
  return null
}

function doubtOfContraries({ terms }: Claim, statement: Statement): Doubt {
  if (statement.claim.denies || statement.claim.lacks) return null
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
export function doubtOfDefault(text: string, { statements }: ReadPassage): Doubt {
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
