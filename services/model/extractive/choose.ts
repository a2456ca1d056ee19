// Chooses what to quote: the excerpt that answers best, with its example, and what other passages add.
//
//   question  "kill a command that runs longer than 30 seconds"
//   passages  [1] run      "Run a command. Wait for it. If the timeout expires, the process is killed. …" + code
//             [2] kill     "Kills the child."
//   scores    share of the question's words in the sentence, rare ones weighing more; the title's words help a little
//   first     the passage with the best sentence; one that ranks lower must have a much better one
//   chosen    [1] "If the timeout expires, the process is killed." + its code; [2] "Kills the child."
import type { ClaimTerm } from '../../chat/claim-terms.ts'
import { sameAs } from '../../chat/word-relations.ts'
import type { ModelPassage } from '../model.ts'
import { type PassageParts, type QuotableCode, type QuotableSentence, readParts } from './passage-parts.ts'
import { hasCue, type Question } from './question.ts'

export interface Excerpt {
  passage: ModelPassage
  /** In their order. */
  sentences: QuotableSentence[]
  /** Items of the list that the last sentence leads to. */
  items: QuotableSentence[]
  code: QuotableCode | null
  score: number
}

export interface Choice {
  main: Excerpt | null
  /** One sentence a passage. */
  more: Excerpt[]
  /** Passages that nothing is quoted from. */
  rest: ModelPassage[]
}

const worth = {
  title: 0.35,
  opening: 0.12,
  named: 0.4,
  cue: 0.12,
  code: 0.1,
  item: -0.05,
  leaning: -0.25,
  lead: -0.1,
}
/** How likely a passage is the one that answers, by its rank: retrieval has seen more than these sentences. */
const byRank = [1, 0.55, 0.45, 0.38, 0.34, 0.3, 0.28, 0.26]
/** What is said of news was true of one version; what a passage as a whole is worth beside its best sentence. */
const news = 0.7
const whole = 0.6
const excerptWords = 75
/** An excerpt shorter than this takes the sentence that follows. */
const fewWords = 18
const moreWords = 34
const mostMore = 2
/** Beside the best sentence: what one that goes with it, and one of another passage, must be worth. */
const companion = 0.45
const addition = 0.6
const mostItems = 6
const mostCodeLines = 20

interface Rated extends QuotableSentence {
  score: number
  /** Without what its place is worth. */
  share: number
}

export function choose(question: Question, passages: ModelPassage[]): Choice {
  const all = passages.map(readParts)
  const weights = weigh(question.terms, all)
  const rated = all.map((parts) => ({ parts, rated: rate(question, weights, parts) }))
  const best = rated
    .map(({ parts, rated }, rank) => ({
      parts,
      rated,
      top: topOf(rated, parts),
      value: worthOf(question, weights, parts, rated, rank),
    }))
    .filter((entry): entry is typeof entry & { top: Rated } => entry.top !== undefined)
    .sort((a, b) => b.value - a.value)
  const [first, ...others] = best
  if (first === undefined) return { main: null, more: [], rest: passages }
  const main = toExcerpt(question, first.parts, first.rated, first.top)
  const said = new Set(main.sentences.map(({ text }) => text))
  const more = others
    .filter(
      ({ top }) =>
        !top.leads &&
        top.score >= addition * first.top.score &&
        top.share > 0 &&
        wordsOf(top.text) <= moreWords &&
        !said.has(top.text),
    )
    .slice(0, mostMore)
    .map(({ parts, top }) => ({
      passage: parts.passage,
      sentences: [top],
      items: [],
      code: null,
      score: top.score,
    }))
  const quoted = new Set([main, ...more].map(({ passage }) => passage))
  return { main, more, rest: passages.filter((passage) => !quoted.has(passage)) }
}

/** Rarity of the question's words among the sentences: what all of them hold tells none of them apart. */
function weigh(terms: ClaimTerm[], all: PassageParts[]): number[] {
  const sentences = all.flatMap(({ sentences }) => sentences)
  return terms.map((term) => {
    const holding = sentences.filter(({ claim }) => claim.terms.some((each) => isSame(term, each))).length
    return Math.log(1 + (sentences.length + 1) / (holding + 0.5))
  })
}

function isSame(asked: ClaimTerm, said: ClaimTerm): boolean {
  if (asked.keys.some((key) => said.keys.includes(key))) return true
  return !asked.isName && !said.isName && sameAs(asked.root).has(said.root)
}

function rate(question: Question, weights: number[], { passage, sentences, code }: PassageParts): Rated[] {
  const title = readTitle(passage.title)
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const titled = question.terms.reduce(
    (sum, term, at) => sum + (title.some((each) => isSame(term, each)) ? weights[at]! / total : 0),
    0,
  )
  return sentences.map((sentence, at) => {
    let share = 0
    for (const [number, term] of question.terms.entries()) {
      const weight = weights[number]! / total
      if (sentence.claim.terms.some((each) => isSame(term, each))) share += weight
      else if (title.some((each) => isSame(term, each))) share += worth.title * weight
    }
    const score =
      share +
      (at === 0 ? worth.opening + worth.named * titled : 0) +
      (hasCue(question, sentence.text) ? worth.cue : 0) +
      (question.kind === 'how' && code.some(({ block }) => block === sentence.block + 1) ? worth.code : 0) +
      (sentence.isItem ? worth.item : 0) +
      (sentence.leans ? worth.leaning : 0) +
      (sentence.leads ? worth.lead : 0)
    return { ...sentence, share, score }
  })
}

/** A passage is worth its best sentence, and how much of the question it holds as a whole. */
function worthOf(
  question: Question,
  weights: number[],
  parts: PassageParts,
  rated: Rated[],
  rank: number,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const words = [...parts.sentences.flatMap(({ claim }) => claim.terms), ...readTitle(parts.passage.title)]
  const held = question.terms.reduce(
    (sum, term, at) => sum + (words.some((word) => isSame(term, word)) ? weights[at]! / total : 0),
    0,
  )
  const isNews = /what.?s.?new|release|changelog/iu.test(parts.passage.url)
  return ((topOf(rated, parts)?.score ?? 0) + whole * held) * (byRank[rank] ?? 0.25) * (isNews ? news : 1)
}

function readTitle(title: string): ClaimTerm[] {
  return readParts({
    label: 0,
    title: '',
    url: '',
    text: `${title.split(/\((?!\))/u)[0]}.`,
  }).sentences.flatMap(({ claim }) => claim.terms)
}

/** The best sentence that can stand alone, or with the example or list that it leads to. */
function topOf(rated: Rated[], parts: PassageParts): Rated | undefined {
  const alone = rated.filter(
    (each) => !each.leans && (!each.leads || leadsSomewhere(parts, each)) && wordsOf(each.text) >= 4,
  )
  return alone.toSorted((a, b) => b.score - a.score)[0]
}

function toExcerpt(question: Question, parts: PassageParts, rated: Rated[], top: Rated): Excerpt {
  const place = rated.findIndex(({ text, block }) => text === top.text && block === top.block)
  const sentences = [rated[place]!]
  let words = wordsOf(top.text)
  for (let at = place + 1; at < rated.length && sentences.length < 4 && !sentences.at(-1)!.leads; at++) {
    const next = rated[at]!
    words += wordsOf(next.text)
    const isNear = next.block - sentences.at(-1)!.block <= 1 && !next.isItem
    const isBeside = next.block === top.block
    const belongs =
      next.share >= companion * top.share ||
      (isBeside && (next.leans || words <= fewWords + wordsOf(next.text)))
    if (!isNear || !belongs || words > excerptWords) break
    if (next.leads && !leadsSomewhere(parts, next)) break
    sentences.push(next)
  }
  const last = sentences.at(-1)!
  const list = last.leads ? parts.lists.find(({ leadBlock }) => leadBlock === last.block) : undefined
  const items = list
    ? parts.sentences.filter(
        (each, at) => list.items.includes(each.block) && isFirstOfBlock(parts.sentences, at),
      )
    : []
  return {
    passage: parts.passage,
    sentences,
    items: items.slice(0, mostItems),
    code: codeFor(question, parts, last),
    score: top.score,
  }
}

function leadsSomewhere({ code, lists }: PassageParts, { block }: QuotableSentence): boolean {
  return (
    code.some((each) => each.block === block + 1 && isShort(each)) ||
    lists.some(({ leadBlock }) => leadBlock === block)
  )
}

function isFirstOfBlock(sentences: QuotableSentence[], at: number): boolean {
  return sentences[at - 1]?.block !== sentences[at]!.block
}

/** What follows the excerpt; for a way to do something any example of the passage. */
function codeFor({ kind }: Question, { code }: PassageParts, last: QuotableSentence): QuotableCode | null {
  const short = code.filter(isShort)
  const next = short.find(({ block }) => block > last.block && block <= last.block + 2)
  return next ?? (kind === 'how' ? (short.find(({ block }) => block > last.block) ?? short[0] ?? null) : null)
}

function isShort({ text }: QuotableCode): boolean {
  return text.split('\n').length <= mostCodeLines && text.length <= 1_200
}

/** Ideographs count by pairs. */
export function wordsOf(text: string): number {
  const ideographs =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return text.split(/\s+/u).length + Math.floor(ideographs / 2)
}
