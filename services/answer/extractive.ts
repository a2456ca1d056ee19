// An answer without a language model: the best section of the documentation as it stands, with its source. Of a long section it
// quotes the excerpt that is nearest to the question, and links to the rest.
import type { Block } from '../../crawler/extract/page.ts'
import { withoutEnd } from '../../crawler/extract/visible.ts'
import { analyze, stem } from '../index/analyze.ts'
import type { ModelPassage, Quotation } from '../model/model.ts'
import type { Similarities } from '../search/meaning.ts'
import { continuation, fenced, readPassageText, ticked, toInline, toMarkdown } from '../search/passage.ts'
import { findStopWords } from '../stop-words.ts'
import { findQuote } from './citation-check.ts'
import { splitSentences } from './sentences.ts'
import { shortTitle, toTitleLink } from './titles.ts'

/** Words of a section that is quoted whole, and of the excerpt of a longer one. Chosen by hand, as what follows is. */
const maxWords = 200
const excerptWords = 140
const maxSignatures = 6
/** Parts that are compared with the question, of all sections and of each; again so many of the one that is chosen. */
const maxCompared = 16
const comparedOfSection = 3
/** Weights of the score in search and of the share of the question, relative to nearness: `npm run bench -- excerpts`. */
const weights = { score: 0.8, share: 0.4 }
/** Of `[1]`, as quoteSection. */
export type Quote = (
  question: string,
  passages: ModelPassage[],
) => Promise<{ text: string; quoted: Quotation[] }>

/** A block, or a piece of a long one: quoted whole or not at all. */
interface Part extends Block {
  passage: ModelPassage
  /** Places in the section: of its block, and its own. */
  block: number
  place: number
  /** Whether it is not the beginning of its block, and not the end. */
  continues: boolean
  goesOn: boolean
  /** What introduces it: the paragraph before code, a list or a table, or its last sentence. */
  lead: string
  /** The first line of its block: the head of a table. */
  head: string
  /** Whether it is the first paragraph of its section: what the section is about. */
  opens: boolean
  words: number
  /** The terms of the question that it holds, with their shares of the question. */
  held: Map<string, number>
  share: number
  /** Cosine with the question; 0 without a model. */
  nearness: number
}

/**
 * Quotes the section that holds most of the question and is nearest to it, of those that search found best. `passages`: best
 * first. `text`: Markdown. `quoted`: what its `[1]` stands for.
 */
export async function quoteSection(
  question: string,
  passages: ModelPassage[],
  similarities: Similarities,
): Promise<{ text: string; quoted: Quotation[] }> {
  // A long section may have been found by several passages.
  const groups = Map.groupBy(passages, ({ url }) => url).values()
  const sections = [...groups].map(readSection).filter(({ length }) => length > 0)
  if (sections.length === 0) return { text: '', quoted: [] }
  const words = weighTerms(question, sections.flat())
  // A single word occurs all over its page: the first result explains it, at its beginning.
  const isChoice = sections.length > 1 && words > 1
  if (isChoice) {
    const compared = sections.flatMap((section) => takeBest(section, comparedOfSection))
    await addNearness(question, takeBest(compared, maxCompared), similarities)
  }
  const [first] = passages as [ModelPassage]
  const section = isChoice
    ? sections.reduce((best, other) => (toValue(other, first) > toValue(best, first) ? other : best))
    : sections[0]!
  const isOne = section.every(({ passage }) => passage === section[0]!.passage)
  const isWhole = isOne && sum(section.map(({ words }) => words)) <= maxWords
  if (!isWhole && words > 1) await addNearness(question, takeBest(section, maxCompared), similarities)
  const shown = isWhole ? section : findExcerpt(section)
  const [best] = takeBest(shown, 1)
  const { passage } = best!
  const title = `${shortTitle(passage.title).replace(/…$/u, '')} …`
  const goesOn = isWhole ? [] : [toTitleLink({ title, url: passage.url })]
  return {
    text: [toHeading(passage), ...toBlocks(shown).map(toMarkdown), ...goesOn].join('\n\n'),
    quoted: [{ label: passage.label, quote: toQuote(best!) }],
  }
}

const byNumbers = new Intl.Collator('en', { numeric: true })

/** Its passages in the order of the page. No block of one stands next to one of another: there may be text between them. */
function readSection(passages: ModelPassage[]): Part[] {
  const inOrder = passages.toSorted((a, b) => byNumbers.compare(a.unit ?? '', b.unit ?? ''))
  const parts = inOrder.flatMap((passage, at) => readParts(passage, at * 10_000))
  return parts.map((part, place) => ({ ...part, place }))
}

function takeBest(parts: Part[], count: number): Part[] {
  return parts.toSorted((a, b) => b.share - a.share).slice(0, count)
}

/** Of the two best parts: one alone may be near by chance. */
function toValue(section: Part[], first: ModelPassage): number {
  const values = Float64Array.from(section, toPartValue).toSorted().slice(-2)
  const score = Math.max(...section.map(({ passage }) => passage.score)) / first.score
  return sum(values) / values.length + weights.score * (score || 0)
}

function toPartValue({ nearness, share }: Part): number {
  return nearness + weights.share * share
}

/** A definition is shown with its signatures, but for those that stand in its text. */
function toHeading({ title, also = [], text }: ModelPassage): string {
  const names = [title, ...also.filter((name) => !text.includes(name)).slice(0, maxSignatures - 1)]
  const name = shortTitle(title)
  const isSignature = name.endsWith('()') && (name !== title || names.length > 1)
  if (isSignature) return `**${ticked(name)}** [1]\n\n${fenced(names.join('\n'))}`
  return `**${names.map((each) => toInline(withoutEnd(each))).join(', ')}** [1]`
}

/** The sentence that holds most of the question. */
function toQuote({ text, held }: Part): string {
  const sentences = splitSentences(text).map(({ text }) => text)
  const counts = sentences.map((sentence) => analyze(sentence).filter((term) => held.has(term)).length)
  const best = sentences[counts.indexOf(Math.max(...counts))] ?? text
  return findQuote({ text }, best) ?? ''
}

/**
 * The share of a term is small where many parts hold it, for it tells none of them apart; and in a section whose heading says
 * it: "run a command with a timeout" asks `run()` for the timeout. Returns how many words that are.
 */
function weighTerms(question: string, parts: Part[]): number {
  const stopWords = findStopWords(question)
  const terms = [...new Set(analyze(question))].filter((term) => !stopWords.has(term))
  const termsOfParts = parts.map(({ text }) => new Set(analyze(text)))
  const idfs = terms.map((term) => {
    const count = termsOfParts.filter((held) => held.has(term)).length
    return Math.log(1 + (parts.length + 1) / (count + 0.5))
  })
  const total = sum(idfs)
  for (const [n, part] of parts.entries()) {
    const heading = new Set(analyze(shortTitle(part.passage.title)))
    for (const [at, term] of terms.entries()) {
      if (!termsOfParts[n]!.has(term)) continue
      part.held.set(term, (idfs[at]! / total) * (heading.has(term) ? 0.5 : 1))
    }
    part.share = sum(part.held.values())
  }
  return new Set(terms.map(stem)).size
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0)
}

/** A few words are near by their heading alone. */
async function addNearness(question: string, parts: Part[], similarities: Similarities): Promise<void> {
  const others = parts.map(({ passage, lead, text }) => [shortTitle(passage.title), lead, text].join('\n'))
  const [cosines = []] = (await similarities([{ text: question, others }])) ?? []
  for (const [at, cosine] of cosines.entries()) {
    const part = parts[at]!
    part.nearness = Math.max(0, cosine) * Math.min(1, (countWords(part.lead) + part.words) / maxLabel)
  }
}

/**
 * Of a section the best part, what it opens with, and others by their value and their neighbors', as far as there is room.
 * What announces a part, and what it announces, come with it or it is left out.
 */
function findExcerpt(parts: Part[]): Part[] {
  const best = parts.reduce((best, part) => (toPartValue(part) > toPartValue(best) ? part : best))
  const values = parts.map(toPartValue)
  const toOrder = ({ place }: Part) => values[place]! + sum(values.slice(Math.max(0, place - 1), place + 2))
  const related = parts.filter((part) => toOrder(part) > 0).toSorted((a, b) => toOrder(b) - toOrder(a))
  let chosen = new Set([best])
  for (const part of [best, ...parts.filter(({ opens }) => opens), ...related]) {
    let [start, end] = [part.place, part.place + 1]
    while (start > 0 && leads(parts[start - 1]!)) start--
    while (end < parts.length && leads(parts[end - 1]!)) end++
    const more = new Set([...chosen, ...parts.slice(start, end)])
    if (sum([...more].map(({ words }) => words)) <= (part === best ? maxWords : excerptWords)) chosen = more
  }
  return parts.filter((part) => chosen.has(part))
}

/** A list, a table or code stands below what introduces it, also where the rest of that paragraph is left out. */
function toBlocks(parts: Part[]): Block[] {
  const blocks: Block[] = []
  let last: Part | undefined
  for (const pieces of Map.groupBy(parts, ({ block }) => block).values()) {
    const { kind, block, lead, continues, head } = pieces[0]!
    const isLed = lead !== '' && (last?.block !== block - 1 || last.goesOn)
    const isApart = last && last.block < block - (isLed ? 2 : 1) && !last.goesOn
    if (isApart && (isLed || !continues)) blocks.push({ kind: 'paragraph', text: continuation })
    if (isLed) blocks.push({ kind: 'paragraph', text: lead })
    const texts = pieces.flatMap(({ text, place, continues }, at) =>
      continues && pieces[at - 1]?.place !== place - 1 ? [marks[kind], text.replace(/^\n+/u, '')] : [text],
    )
    if (continues && kind === 'table') texts.unshift(head)
    last = pieces.at(-1)!
    if (last.goesOn) texts.push(marks[kind])
    blocks.push({ kind, text: texts.join(toGlue(kind)) })
  }
  return blocks
}

const maxWordLength = 10
/** Pieces of a block that is cut stay together up to so many words. */
const pieceWords = 40
/** Characters of what introduces a list, a table or code. */
const maxLead = 200
/** Words of `Note`, `See also`, a term above its description. */
const maxLabel = 8

const announces = /[:：,、;]\s*$/u
const lastSentence = /(?<=[.!?]\s|[。！？])[^.!?。！？]*$/u
const sentenceEnd = /(?<=[.!?]\s|[。！？])/u
/** What says nothing by itself: the number of a note or a section, a sign, the mark of a passage that goes on. */
const noteMark = /^(?:[[(]?\d{1,3}(?:\.\d{1,3})*\.?[\])]?|[^\p{L}\p{N}]*)$/u

/** Where a block of more words than that is cut: at its sentences, items, rows, empty lines or lines. */
const cuts: Record<Block['kind'], { above: number; at: RegExp }[]> = {
  paragraph: [{ above: maxWords, at: sentenceEnd }],
  list: [{ above: pieceWords, at: /\n(?=- )/u }],
  table: [{ above: pieceWords, at: /\n/u }],
  code: [
    { above: pieceWords, at: /\n(?=\n)/u },
    { above: maxWords, at: /\n/u },
  ],
}
/** Stands for the pieces of a block that are left out. */
const marks: Record<Block['kind'], string> = { paragraph: ' … ', list: '- …', table: '…', code: '…' }
const toGlue = (kind: Block['kind']) => (kind === 'paragraph' ? '' : '\n')

/** The first sentence of the section's first paragraph; empty where the passage does not hold it. */
export function readFirstSentence(passage: ModelPassage): string {
  const first = readParts(passage).find(({ opens }) => opens)
  return (first && splitSentences(first.text)[0]?.text) ?? ''
}

function readParts(passage: ModelPassage, from = 0): Part[] {
  const blocks = readPassageText(passage.text).filter(({ text }) => !noteMark.test(text.trim()))
  const opening = blocks.findIndex(({ kind, text }) => kind === 'paragraph' && countWords(text) > maxLabel)
  return blocks.flatMap((block, at) => {
    const lead = block.kind === 'paragraph' ? '' : toLead(blocks[at - 1])
    return toPieces(block).map((text, n, pieces) => ({
      ...{ passage, kind: block.kind, text, block: from + at, lead, head: block.text.split('\n', 1)[0]! },
      ...{ continues: n > 0, goesOn: n < pieces.length - 1, words: countWords(text) },
      opens: at === opening && n === 0 && !passage.text.startsWith(continuation),
      ...{ place: 0, held: new Map(), share: 0, nearness: 0 },
    }))
  })
}

/** A short paragraph whole, of a long one its last sentence. */
function toLead(before: Block | undefined): string {
  if (before?.kind !== 'paragraph') return ''
  const lead = before.text.length <= maxLead ? before.text : before.text.split(sentenceEnd).at(-1)!
  return lead.length <= maxLead ? lead : ''
}

/** Neighbours that are short together stay together. What announces the next block is a piece of its own: "Use `-q`. For example," */
function toPieces({ kind, text }: Block): string[] {
  let pieces = [text]
  for (const { above, at } of cuts[kind]) {
    pieces = pieces.flatMap((piece) =>
      countWords(piece) > above ? joinShort(piece.split(at), toGlue(kind)) : [piece],
    )
  }
  const last = pieces.at(-1)!
  const lead = kind === 'paragraph' && announces.test(last) ? last.search(lastSentence) : -1
  if (lead >= 0) pieces.splice(-1, 1, last.slice(0, lead), last.slice(lead))
  return pieces.map(cutWords)
}

function joinShort(texts: string[], glue: string): string[] {
  const joined: string[] = []
  for (const text of texts) {
    const both = `${joined.at(-1)}${glue}${text}`
    if (joined.length > 0 && countWords(both) <= pieceWords) joined[joined.length - 1] = both
    else joined.push(text)
  }
  return joined
}

/** Announces what follows: ends in a colon or a comma, is a question, or a label. */
function leads({ kind, text, words }: Part): boolean {
  const isLabel = words <= maxLabel && !/[.!。！…]\P{L}*$/u.test(text)
  return kind === 'paragraph' && (isLabel || announces.test(text) || /[?？؟]\P{L}*$/u.test(text))
}

/** The first 200 words, by white space. */
function cutWords(text: string): string {
  if (countWords(text) <= maxWords) return text
  const [...spaces] = text.matchAll(/\s+/gu)
  return `${text.slice(0, Math.min(spaces[maxWords - 1]?.index ?? text.length, maxWordLength * maxWords))} …`
}

/** By white space; ideographs by pairs; where there are few spaces, ten characters. */
function countWords(text: string): number {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  const spaced = text.trim().split(/\s+/u).length + Math.floor((ideographs?.length ?? 0) / 2)
  return Math.max(spaced, Math.ceil(text.length / maxWordLength))
}
