// The last stage of a turn: checks every citation of a draft against its passage, which must have the words that the citation
// quotes. Removes invented and unsupported citations, but keeps their sentences, and renumbers the others by source. A
// client that cannot replace a draft receives a citation only after its check.

import type { ModelPassage } from '../model/model.ts'
import { type Quotes, toQuoteKey } from '../sanitize/safe-inline.ts'
import type { ChatSource, Trace } from '../store/chat.ts'
import { type Claim, findQuote, type Judge, minShare, type Pair, readWords } from './citation-check.ts'
import {
  type Citation,
  readBlocks,
  readCitations,
  replaceSpans,
  type Sentence,
  toSentences,
} from './sentences.ts'
import { toSource } from './titles.ts'

export interface CheckedAnswer {
  /** Markdown; `[n]` is the n-th of `sources`. */
  text: string
  /** Each section once, in the order of first citation. */
  sources: ChatSource[]
  /** Labels of the cited passages, as the model wrote them. */
  cited: number[]
  /** The quoted words by label, as in the passages. */
  quotes: Map<number, string>
  dropped: Trace['dropped']
  /** Whether the draft had citations and the check removed all of them. */
  isUnsupported: boolean
}

/** Limits of the removed citations in a trace, and of the citations that are checked. Real answers have fewer. */
const maxDropped = 100
const maxChecked = 100
/** For a draft without citations: limits of its checked sentences and of its sources. */
const maxSentences = 60
const maxSources = 5

/** Words of a quotation that proves a citation. A sentence with a shorter quotation must also be similar to the passage. */
const minQuoted = 3

/** One label of a citation with the claims that it may support. Kept if the passage supports one of them. */
interface Cited {
  citation: Citation
  label: number
  claims: Claim[]
  /** As in the passage. Null if the passage does not have it, absent if the citation quotes nothing. */
  quote?: string | null
}

/** The sources of a draft without citations are the passages that support its sentences. */
export async function checkAnswer(
  draft: string,
  passages: ModelPassage[],
  quoted: Quotes,
  judge: Judge,
  signal: AbortSignal,
): Promise<CheckedAnswer> {
  const byLabel = new Map(passages.map((passage) => [passage.label, passage]))
  const sentences = toSentences(draft)
  const all = readCited(draft, sentences, byLabel)
  const checked = all.filter(({ label }) => byLabel.has(label)).slice(0, maxChecked)
  for (const each of checked) {
    const quote = quoted.get(toQuoteKey(each.label, draft.slice(0, each.citation.end)))
    if (quote !== undefined) each.quote = findQuote(byLabel.get(each.label)!, quote)
  }
  const held = checked.filter(({ quote }) => quote !== null)
  const pairs = held.flatMap(({ label, claims, quote }) => {
    const isQuoted = quote !== undefined && readWords(quote!).length >= minQuoted
    return claims.map((claim) => ({ claim, passage: byLabel.get(label)!, isQuoted }))
  })
  const objections = await judge.toObjections(pairs, signal)
  const objectionTo = new Map<Cited, string | null>()
  for (const each of held) {
    const own = objections.splice(0, each.claims.length)
    objectionTo.set(each, own.includes(null) ? null : (own[0] ?? 'stands for nothing'))
  }
  const dropped: Trace['dropped'] = []
  const kept = new Map<Citation, number[]>()
  const quotes = new Map<number, string>()
  for (const each of all) {
    const { citation, label, claims, quote } = each
    const unchecked = byLabel.has(label) ? 'too many to be checked' : 'no such passage'
    const unheld = quote === null ? 'the passage does not hold the quoted words' : unchecked
    const why = objectionTo.has(each) ? objectionTo.get(each)! : unheld
    if (why === null && quote && !quotes.has(label)) quotes.set(label, quote)
    kept.set(citation, [...(kept.get(citation) ?? []), ...(why === null ? [label] : [])])
    if (why !== null && dropped.length < maxDropped) {
      dropped.push({ text: `[${label}] ${claims[0]?.text.slice(0, 160) ?? ''}`.trim(), why })
    }
  }

  const cited = [...new Set([...kept.values()].flat())]
  const isUnsupported = all.length > 0 && cited.length === 0
  if (all.length === 0) cited.push(...(await findSources(sentences, passages, judge)))
  const sources: ChatSource[] = []
  const findNumber = (label: number) => sources.findIndex(({ url }) => url === byLabel.get(label)!.url) + 1
  for (const label of cited) {
    if (findNumber(label) === 0) sources.push(toSource(byLabel.get(label)!, quotes.get(label)))
  }
  return { text: renumber(draft, kept, findNumber), sources, cited, quotes, dropped, isUnsupported }
}

function readCited(draft: string, sentences: Sentence[], byLabel: Map<number, unknown>): Cited[] {
  return sentences.flatMap((sentence, at) => {
    if (sentence.kind === 'code') return []
    const own = draft.slice(sentence.start, sentence.end)
    const citations = readCitations(own, sentence.start, (label) => byLabel.has(label))
    if (citations.length === 0) return []
    const whole = listClaims(sentences, at, draft)
    const isShared = new Set(citations.flatMap(({ labels }) => labels)).size > 1
    const clauses = isShared ? toClauses(whole[0]) : []
    return citations.flatMap((citation, number) => {
      // In `A is so [1], B is not [2].` each citation supports the text before it, or a clause of the sentence.
      const before = draft.slice(citations[number - 1]?.end ?? sentence.start, citation.start)
      const apart = citations.length > 1 ? [{ kind: 'prose' as const, text: before.trim() }] : []
      const claims = [...whole, ...apart, ...clauses].filter(saysSomething)
      return citation.labels.map((label) => ({ citation, label, claims }))
    })
  })
}

/** The sentence itself. The previous one if it has only citations. If it introduces an example, also the example. */
function listClaims(sentences: Sentence[], at: number, draft: string): Claim[] {
  const own = toClaim(sentences[at]!)
  const before = sentences[at - 1]
  if (!saysSomething(own)) return before ? [toClaim(before)] : []
  const next = sentences[at + 1]
  const leads = /:\s*$/u.test(withoutCitations(draft.slice(sentences[at]!.start, sentences[at]!.end)))
  return leads && next ? [own, toClaim(next)] : [own]
}

function toClaim({ kind, text }: Sentence): Claim {
  return { kind, text: kind === 'code' ? text : withoutCitations(text) }
}

function withoutCitations(text: string): string {
  const citations = readCitations(text, 0, () => true)
  return replaceSpans(text, citations, () => '').trim()
}

function saysSomething({ text }: Claim): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

const minClause = 15
const maxClauses = 4

/** Clauses of a sentence that cites several passages, each of which must support one. */
function toClauses(claim: Claim | undefined): Claim[] {
  const clauses = claim?.kind === 'prose' ? claim.text.split(/[,;:] /u) : []
  const long = clauses.length > 1 ? clauses.filter((clause) => clause.length >= minClause) : []
  return long.slice(0, maxClauses).map((text) => ({ kind: 'prose', text }))
}

/** Labels of the passages that support each sentence best, by words, at most five. */
async function findSources(sentences: Sentence[], passages: ModelPassage[], judge: Judge): Promise<number[]> {
  const claims = sentences.map(toClaim).filter(saysSomething).slice(0, maxSentences)
  const pairs = claims.flatMap((claim) => passages.map((passage) => ({ claim, passage })))
  const evidence = await judge.readEvidence(pairs)
  const best = claims.flatMap((_, at) =>
    passages
      .map(({ label }, number) => ({ label, ...evidence[at * passages.length + number]! }))
      .filter(({ mismatch, share }) => mismatch === null && share >= minShare)
      .sort((a, b) => b.share - a.share)
      .slice(0, 1),
  )
  return [...new Set(best.map(({ label }) => label))].slice(0, maxSources)
}

/** `[1][1]`: two passages of one section next to each other count once. */
function renumber(
  draft: string,
  kept: Map<Citation, number[]>,
  findNumber: (label: number) => number,
): string {
  let before = { end: -1, numbers: [] as number[], hasSpace: false }
  const text = replaceSpans(draft, kept.keys(), (citation) => {
    const isBeside = before.end === citation.start
    const shown = isBeside ? before.numbers : []
    const hasSpace = /\s/u.test(draft[citation.start]!) || (isBeside && shown.length === 0 && before.hasSpace)
    const numbers = [...new Set(kept.get(citation)!.map(findNumber))].filter((each) => !shown.includes(each))
    before = { end: citation.end, numbers: [...shown, ...numbers], hasSpace }
    const space = hasSpace && numbers.length > 0 ? ' ' : ''
    return space + numbers.map((number) => `[${number}]`).join('')
  })
  return text.trimEnd()
}

interface CheckedTokensOptions {
  /** The text that the reader already has, if the answer is continued. */
  draft: string
  /** Returns the checked text of a draft. Null: drafts are not checked before their end. */
  check: ((draft: string) => Promise<string>) | null
  /** Called with new text, never empty. */
  send(text: string): void
}

/** Minimum growth before the next check, as a share of the checked text, so that long answers have few checks. */
const minGrowth = 0.1

/**
 * Sends text up to the first bracket at once, and the rest when its block (a paragraph, an item of a list) is complete, because
 * the check needs complete sentences.
 */
export function createCheckedTokens({ draft, check, send }: CheckedTokensOptions) {
  let text = draft
  /** Characters of the draft that need not be sent again, and of those that are checked. */
  let passed = draft.length
  let settled = 0
  /** Characters that the reader has. */
  let sent = draft.length
  let isHeld = false
  let checking: Promise<void> | null = null

  function show(piece: string) {
    if (piece === '') return
    sent += piece.length
    send(piece)
  }

  /** A citation includes the white space before it. */
  function pass() {
    const rest = text.slice(passed)
    const bracket = rest.search(/[[【]/u)
    isHeld = bracket >= 0
    const piece = (isHeld ? rest.slice(0, bracket) : rest).trimEnd()
    show(piece)
    passed += piece.length
  }

  async function release(check: (draft: string) => Promise<string>) {
    for (;;) {
      const end = endOfComplete(text, settled)
      if (end <= passed || end - settled < minGrowth * settled) break
      const complete = text.slice(0, end).trimEnd()
      const checked = await check(complete)
      show(checked.slice(sent))
      settled = end
      passed = complete.length
      pass()
    }
  }

  return {
    /** Receives new text of the draft. */
    push(piece: string) {
      text += piece
      if (!isHeld) pass()
      if (!isHeld || checking !== null || check === null) return
      checking = release(check).finally(() => {
        checking = null
      })
    },
    /** Sends the part of the complete text `answer` that the reader does not have. */
    async end(answer: string) {
      await checking
      show(answer.slice(sent))
    },
  }
}

/** Start of the last block. A block that ends in a colon needs the next one complete, which may be its example. */
function endOfComplete(draft: string, from: number): number {
  const text = draft.slice(from)
  const blocks = readBlocks(text)
  const next = blocks.findLastIndex((_, at) => at > 0 && !/:[^\p{L}:]*$/u.test(blocks[at - 1]!.text))
  return next < 0 ? from : from + text.lastIndexOf('\n', blocks[next]!.start) + 1
}

/** A judge that receives each pair only once. */
export function rememberObjections(judge: Judge): Judge {
  const known = new Map<Pair['passage'], Map<string, string | null>>()
  const toKey = ({ claim: { kind, text }, isQuoted }: Pair) => `${kind} ${isQuoted} ${text}`
  return {
    ...judge,
    async toObjections(pairs, signal) {
      const unknown = pairs.filter((pair) => !known.get(pair.passage)?.has(toKey(pair)))
      const objections = await judge.toObjections(unknown, signal)
      for (const [at, pair] of unknown.entries()) {
        if (!known.has(pair.passage)) known.set(pair.passage, new Map())
        known.get(pair.passage)!.set(toKey(pair), objections[at]!)
      }
      return pairs.map((pair) => known.get(pair.passage)!.get(toKey(pair))!)
    },
  }
}
