// Cuts the excerpt of a passage round its best sentence, with its list, its example, and what it is about.
import { readClaim } from '../../answer/claim-terms.ts'
import type { ModelPassage } from '../model.ts'
import {
  isShort,
  leadsSomewhere,
  type PassageParts,
  type QuotableCode,
  type QuotableSentence,
  wordsOf,
} from './passage-parts.ts'
import type { Question } from './question.ts'
import { holdsAny, isSame, type Rated, readTitle } from './rate.ts'

export interface Excerpt {
  passage: ModelPassage
  /** In their order. */
  sentences: QuotableSentence[]
  /** Items of the list that the last sentence leads to. */
  items: QuotableSentence[]
  code: QuotableCode | null
  /** Where the code stands. */
  codeFrom: ModelPassage
  score: number
}

const excerptWords = 75
/** An excerpt shorter than this takes the sentence that follows. */
const fewWords = 18
const contextWords = 30
/** Beside the best sentence: what one that goes with it must be worth. */
const companion = 0.45
const mostItems = 6

export function toExcerpt(question: Question, parts: PassageParts, rated: Rated[], top: Rated): Excerpt {
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
    codeFrom: parts.passage,
    score: top.score,
  }
}

/**
 * Before it what the section is about, where the question names that; behind it the sentence of the section that says
 * more of the question, and an example of the page.
 */
export function withContext(question: Question, excerpt: Excerpt, all: PassageParts[]): Excerpt {
  const { passage, items, code } = excerpt
  const section = all.filter(({ passage: { url } }) => url === passage.url)
  const title = readTitle(passage.title)
  const sentences = [...excerpt.sentences]
  const fits = (sentence: QuotableSentence | undefined): sentence is QuotableSentence =>
    sentence !== undefined &&
    !sentence.leans &&
    !sentence.leads &&
    wordsOf(sentence.text) <= contextWords &&
    !sentences.some(({ text }) => text === sentence.text)

  const opening = section.find(({ goesOn }) => !goesOn)?.sentences[0]
  if (fits(opening) && holdsAny(question.terms, title)) sentences.unshift(opening)
  const said = [...sentences.flatMap(({ claim }) => claim.terms), ...title]
  const unsaid = question.terms.filter((term) => !said.some((each) => isSame(term, each)))
  const others = section.flatMap((parts) => parts.sentences)
  const further = others.findIndex(
    (each) => each !== opening && fits(each) && holdsAny(unsaid, each.claim.terms),
  )
  if (further >= 0 && items.length === 0 && !sentences.at(-1)!.leads) {
    sentences.push(others[further]!)
    // `The timeout is passed on.` says less of it than `If it expires, …` behind it.
    const next = others[further + 1]
    const goesOn = next?.block === others[further]!.block && holdsAny(unsaid, next.claim.terms)
    if (next && goesOn && fits(next)) sentences.push(next)
  }

  const isExample = (each: QuotableCode) =>
    isShort(each) && holdsAny(question.terms, readClaim(each.text).terms)
  const pageOf = (url: string) => url.split('#')[0]
  const example =
    question.kind === 'how' && code === null && items.length === 0
      ? all.find((parts) => pageOf(parts.passage.url) === pageOf(passage.url) && parts.code.some(isExample))
      : undefined
  return {
    ...excerpt,
    sentences,
    code: code ?? example?.code.find(isExample) ?? null,
    codeFrom: example?.passage ?? passage,
  }
}

function isFirstOfBlock(sentences: QuotableSentence[], at: number): boolean {
  return sentences[at - 1]?.block !== sentences[at]!.block
}

/** What follows the excerpt; for a way to do something the example of the passage that holds most of the question. */
function codeFor(
  { kind, terms }: Question,
  { code }: PassageParts,
  last: QuotableSentence,
): QuotableCode | null {
  const short = code.filter(isShort)
  const next = short.find(({ block }) => block > last.block && block <= last.block + 2)
  if (next || kind !== 'how') return next ?? null
  const behind = [...short.filter(({ block }) => block > last.block), ...short]
  const held = (each: QuotableCode) => {
    const said = readClaim(each.text).terms
    return terms.filter((term) => said.some((word) => isSame(term, word))).length
  }
  return behind.toSorted((a, b) => held(b) - held(a))[0] ?? null
}
