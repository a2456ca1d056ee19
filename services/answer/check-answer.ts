// The last stage of a turn: every citation of a draft is held against the passage that it names. What is invented or not
// supported goes, and its sentence stays; what remains is numbered by the answer's sources.
import type { ModelPassage } from '../model/model.ts'
import type { ChatSource, Trace } from '../store/chat.ts'
import { type Claim, type JudgePairs, minShare, type Pair, readEvidence } from './citation-check.ts'
import { type CitationMark, readCitations } from './citations.ts'
import { shortTitle } from './passage-title.ts'
import { type Sentence, toSentences } from './sentences.ts'

export interface CheckedAnswer {
  /** Markdown; `[n]` is the n-th of `sources`. */
  text: string
  /** A section once, in the order of their first citation. */
  sources: ChatSource[]
  /** Labels of the passages that the answer rests on, as the model had them. */
  cited: number[]
  dropped: Trace['dropped']
}

/** Citations that a trace tells of, and those that are checked: no honest answer has more. */
const maxDropped = 100
const maxChecked = 100
/** Where a draft cites nothing that holds: its sentences that are looked at, and the sources that are named. */
const maxSentences = 60
const maxSources = 5

/** A label in a mark, and what it may stand for: it is kept if the passage bears out one of the claims. */
interface Citation {
  mark: CitationMark
  label: number
  claims: Claim[]
}

/** Where no citation is left, the sources are the passages that bear out the draft's sentences. */
export async function checkAnswer(
  draft: string,
  passages: ModelPassage[],
  judge: JudgePairs,
  signal: AbortSignal,
): Promise<CheckedAnswer> {
  const byLabel = new Map(passages.map((passage) => [passage.label, passage]))
  const sentences = toSentences(draft)
  const citations = toCitations(draft, sentences, byLabel)
  const checked = citations.filter(({ label }) => byLabel.has(label)).slice(0, maxChecked)
  const doubts = await judgeCitations(checked, byLabel, (pairs) => judge(pairs, signal))

  const dropped: Trace['dropped'] = []
  const kept = new Map<CitationMark, number[]>()
  for (const citation of citations) {
    const { mark, label, claims } = citation
    const unchecked = byLabel.has(label) ? 'too many to be checked' : 'no such passage'
    const why = doubts.has(citation) ? doubts.get(citation)! : unchecked
    kept.set(mark, [...(kept.get(mark) ?? []), ...(why === null ? [label] : [])])
    if (why !== null && dropped.length < maxDropped) {
      dropped.push({ text: `[${label}] ${claims[0]?.text.slice(0, 160) ?? ''}`.trim(), why })
    }
  }

  const cited = [...new Set([...kept.values()].flat())]
  if (cited.length === 0) {
    const refuted = new Set(citations.map(({ label }) => label))
    const others = passages.filter(({ label }) => !refuted.has(label))
    cited.push(...(await findSources(sentences, others)))
  }
  const sources: ChatSource[] = []
  const numbers = new Map<number, number>()
  for (const label of cited) {
    const { title, url } = byLabel.get(label)!
    let at = sources.findIndex((source) => source.url === url)
    if (at < 0) at = sources.push({ title: shortTitle(title), url }) - 1
    numbers.set(label, at + 1)
  }
  return { text: withMarks(draft, kept, numbers), sources, cited, dropped }
}

function toCitations(draft: string, sentences: Sentence[], byLabel: Map<number, unknown>): Citation[] {
  return sentences.flatMap((sentence, at) => {
    if (sentence.kind === 'code') return []
    const own = draft.slice(sentence.start, sentence.end)
    const marks = readCitations(own, sentence.start, (label) => byLabel.has(label))
    if (marks.length === 0) return []
    const whole = claimsOf(sentences, at, draft)
    const isShared = new Set(marks.flatMap(({ labels }) => labels)).size > 1
    const parts = isShared ? toParts(whole[0]) : []
    return marks.flatMap((mark, number) => {
      // `A is so [1], B is not [2].`: each stands for what is before it, or for a part of the sentence.
      const before = draft.slice(marks[number - 1]?.end ?? sentence.start, mark.start)
      const apart = marks.length > 1 ? [{ kind: 'prose' as const, text: before.trim() }] : []
      const claims = [...whole, ...apart, ...parts].filter(saysSomething)
      return mark.labels.map((label) => ({ mark, label, claims }))
    })
  })
}

/** What keeps each citation from being right; null where nothing does. */
async function judgeCitations(
  citations: Citation[],
  byLabel: Map<number, ModelPassage>,
  judge: (pairs: Pair[]) => Promise<(string | null)[]>,
): Promise<Map<Citation, string | null>> {
  const pairs = citations.flatMap(({ label, claims }) =>
    claims.map((claim): Pair => ({ claim, passage: byLabel.get(label)! })),
  )
  const verdicts = (await judge(pairs))[Symbol.iterator]()
  return new Map(
    citations.map((citation) => {
      const doubts = citation.claims.map(() => verdicts.next().value as string | null)
      return [citation, doubts.includes(null) ? null : (doubts[0] ?? 'stands for nothing')]
    }),
  )
}

/**
 * What a citation in the sentence stands for: the sentence; where there is nothing but citations in it, what stands
 * before; where it only leads to an example, that too.
 */
function claimsOf(sentences: Sentence[], at: number, draft: string): Claim[] {
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

function saysSomething({ text }: Claim): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

const minPart = 15
const maxParts = 4

/** Clauses of a sentence that cites several passages: each passage must bear out one. */
function toParts(claim: Claim | undefined): Claim[] {
  const parts = claim?.kind === 'prose' ? claim.text.split(/[,;:] /u) : []
  const long = parts.length > 1 ? parts.filter((part) => part.length >= minPart) : []
  return long.slice(0, maxParts).map((text) => ({ kind: 'prose', text }))
}

function withoutCitations(text: string): string {
  let shown = ''
  let last = 0
  for (const { start, end } of readCitations(text, 0, () => true)) {
    shown += text.slice(last, start)
    last = end
  }
  return (shown + text.slice(last)).trim()
}

/** Labels of the passage that bears out each sentence best, by its words, at most five. */
async function findSources(sentences: Sentence[], passages: ModelPassage[]): Promise<number[]> {
  const claims = sentences.map(toClaim).filter(saysSomething).slice(0, maxSentences)
  const pairs = claims.flatMap((claim) => passages.map((passage) => ({ claim, passage })))
  const evidence = await readEvidence(pairs)
  const found = new Set<number>()
  for (const at of claims.keys()) {
    const [best] = passages
      .map(({ label }, number) => ({ label, ...evidence[at * passages.length + number]! }))
      .filter(({ doubt, share }) => doubt === null && share >= minShare)
      .sort((a, b) => b.share - a.share)
    if (best) found.add(best.label)
  }
  return [...found].slice(0, maxSources)
}

function withMarks(draft: string, kept: Map<CitationMark, number[]>, numbers: Map<number, number>): string {
  let text = ''
  let last = 0
  let before: { at: number; shown: Set<number> } | null = null
  for (const [{ start, end }, labels] of kept) {
    text += draft.slice(last, start)
    // `[1][1]`: two passages of one section stand side by side.
    const shown: Set<number> = before?.at === start ? before.shown : new Set()
    const fresh = [...new Set(labels.map((label) => numbers.get(label)!))].filter(
      (number) => !shown.has(number),
    )
    for (const number of fresh) shown.add(number)
    const space = /^\s/u.test(draft.slice(start, end)) ? ' ' : ''
    if (fresh.length > 0) text += space + fresh.map((number) => `[${number}]`).join('')
    before = { at: end, shown }
    last = end
  }
  return (text + draft.slice(last)).trimEnd()
}
