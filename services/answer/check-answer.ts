// The last stage of a turn: every citation of a draft is held against the passage that it names (decisions.md "Chat").
// What is invented or not supported goes, and its sentence stays; what remains is numbered by the answer's sources.
import type { ModelPassage } from '../model/model.ts'
import type { ChatSource, Trace } from '../store/chat.ts'
import { type CitationMark, readCitations } from './citations.ts'
import { shortTitle } from './passage-title.ts'
import { type Sentence, toSentences } from './sentences.ts'
import { doubtOf, toClauses } from './support.ts'

export interface CheckedAnswer {
  /** Markdown; `[n]` is the n-th of `sources`. */
  text: string
  /** A section once, in the order of their first citation. */
  sources: ChatSource[]
  /** Labels of the passages that the answer rests on, as the model had them. */
  cited: number[]
  dropped: Trace['dropped']
}

/** A trace tells of so many; so many sentences, and citations in one, are checked: no answer has more. */
const mostDropped = 100
const mostChecked = 300
const mostInSentence = 20

/** Where no citation is left, the sources are the passages that support the draft's sentences. */
export function checkAnswer(draft: string, passages: ModelPassage[]): CheckedAnswer {
  const byLabel = new Map(passages.map((passage) => [passage.label, passage]))
  const dropped: Trace['dropped'] = []
  const sentences = toSentences(draft)
  let checked = 0
  const marks = sentences.flatMap((sentence, at) => {
    if (sentence.kind === 'code') return []
    const own = draft.slice(sentence.start, sentence.end)
    const found = readCitations(own, sentence.start, (label) => byLabel.has(label))
    if (found.length === 0) return []
    checked++
    const claims = claimsOf(sentences, at, draft)
    const doubtOfMark = createJudge(claims, found, sentence, draft)
    return found.map(({ start, end, labels }, number) => {
      const isTooMany = checked > mostChecked || number >= mostInSentence
      const kept = labels.filter((label) => {
        const passage = byLabel.get(label)
        const why =
          passage === undefined
            ? 'no such passage'
            : isTooMany
              ? 'too many to be checked'
              : doubtOfMark(passage, number)
        if (why !== null && dropped.length < mostDropped) {
          dropped.push({ text: `[${label}] ${claims[0]?.text.slice(0, 160) ?? ''}`.trim(), why })
        }
        return why === null
      })
      return { start, end, labels: kept }
    })
  })

  const cited = [...new Set(marks.flatMap(({ labels }) => labels))]
  if (cited.length === 0) cited.push(...supporting(sentences, passages))
  const sources: ChatSource[] = []
  const numbers = new Map<number, number>()
  for (const label of cited) {
    const { title, url } = byLabel.get(label)!
    let at = sources.findIndex((source) => source.url === url)
    if (at < 0) at = sources.push({ title: shortTitle(title), url }) - 1
    numbers.set(label, at + 1)
  }
  return { text: withMarks(draft, marks, numbers), sources, cited, dropped }
}

/**
 * Judges the marks of one sentence: by all of it, where several passages are cited by its parts, and by what stands
 * between the mark before and this one: `A is so [1], B is not [2].`
 */
function createJudge(claims: Sentence[], found: CitationMark[], sentence: Sentence, draft: string) {
  const isShared = new Set(found.flatMap(({ labels }) => labels)).size > 1
  const common = isShared ? claims.flatMap((claim) => [claim, ...toParts(claim)]) : claims
  const known = new Map<number, string | null>()
  return (passage: ModelPassage, number: number): string | null => {
    if (!known.has(passage.label)) known.set(passage.label, firstDoubt(common, passage))
    const doubt = known.get(passage.label)!
    const text = draft.slice(found[number - 1]?.end ?? sentence.start, found[number]!.start).trim()
    const isApart = doubt !== null && found.length > 1 && text !== ''
    return isApart && doubtOf({ ...sentence, text }, passage) === null ? null : doubt
  }
}

/**
 * What a citation in the sentence stands for: the sentence; where there is nothing but citations in it, what stands
 * before; where it only leads to an example, that too.
 */
function claimsOf(sentences: Sentence[], at: number, draft: string): Sentence[] {
  const bare = (sentence: Sentence) => ({ ...sentence, text: withoutCitations(sentence.text) })
  const own = bare(sentences[at]!)
  const before = sentences[at - 1]
  if (!/[\p{L}\p{N}]/u.test(own.text)) return before ? [bare(before)] : []
  const next = sentences[at + 1]
  const leads = /:\s*$/u.test(withoutCitations(draft.slice(own.start, sentences[at]!.end)))
  return leads && next ? [own, bare(next)] : [own]
}

/** Where several passages are cited, each must support a part. */
function toParts(claim: Sentence): Sentence[] {
  return claim.kind === 'code' ? [] : toClauses(claim.text).map((text) => ({ ...claim, text }))
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

/** Null where the passage supports one of the claims. */
function firstDoubt(claims: Sentence[], passage: ModelPassage): string | null {
  let first: string | null = claims.length === 0 ? 'stands for nothing' : null
  for (const claim of claims) {
    const doubt = doubtOf(claim, passage)
    if (doubt === null) return null
    first ??= doubt
  }
  return first
}

const mostSources = 5
const mostSentences = 200

/** Labels of the first passage that supports each sentence, at most five. */
function supporting(sentences: Sentence[], passages: ModelPassage[]): number[] {
  const found = new Set<number>()
  for (const sentence of sentences.slice(0, mostSentences)) {
    const passage = passages.find((each) => doubtOf(sentence, each) === null)
    if (passage) found.add(passage.label)
  }
  return [...found].slice(0, mostSources)
}

function withMarks(draft: string, marks: CitationMark[], numbers: Map<number, number>): string {
  let text = ''
  let last = 0
  let before: { at: number; shown: Set<number> } | null = null
  for (const { start, end, labels } of marks) {
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
