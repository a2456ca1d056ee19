// An answer without a language model: quotes the best section of the documentation, with its source. Of a long section, it
// quotes the excerpt most similar to the question, and links to the rest.
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

/** Words of a section that is quoted completely, and of the excerpt of a longer one. Chosen by hand, as are the constants below. */
const maxWords = 200
const excerptWords = 140
const maxSignatures = 6
/** Parts compared with the question, of all sections and of each. As many again of the chosen section. */
const maxCompared = 16
const comparedOfSection = 3
/** Weights of the search score and of the share of the question, relative to similarity: `npm run bench -- excerpts`. */
const weights = { score: 0.8, share: 0.4 }
/** See `quoteSection`. */
export type Quote = (
  question: string,
  passages: ModelPassage[],
) => Promise<{ text: string; quoted: Quotation[] }>

/** A block, or a piece of a long one. Quoted completely or not at all. */
interface Part extends Block {
  passage: ModelPassage
  /** Positions in the section: of its block, and of the part. */
  block: number
  place: number
  /** Whether it is not the start of its block, and not the end. */
  continues: boolean
  goesOn: boolean
  /** Its introduction: the paragraph before code, a list or a table, or the last sentence of it. */
  lead: string
  /** The first line of its block: the header row of a table. */
  head: string
  /** Whether it is the first paragraph of its section, which says what the section is about. */
  opens: boolean
  words: number
  /** The terms of the question in it, with their shares of the question. */
  held: Map<string, number>
  share: number
  /** Cosine with the question. 0 without a model. */
  nearness: number
}

/**
 * Quotes the section with most of the question and the highest similarity, among the best search results. `passages`: best
 * first. `text`: Markdown. `quoted`: the passages of its `[1]`.
 */
export async function quoteSection(
  question: string,
  passages: ModelPassage[],
  similarities: Similarities,
): Promise<{ text: string; quoted: Quotation[] }> {
  // Search may have found several passages of a long section.
  const groups = Map.groupBy(passages, ({ url }) => url).values()
  const sections = [...groups].map(readSection).filter(({ length }) => length > 0)
  if (sections.length === 0) return { text: '', quoted: [] }
  const words = weighTerms(question, sections.flat())
  // A single word occurs all over its page: the first result explains it, at its start.
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

/** Passages of a section in page order. Blocks of two passages are never adjacent, because there may be text between them. */
function readSection(passages: ModelPassage[]): Part[] {
  const inOrder = passages.toSorted((a, b) => byNumbers.compare(a.unit ?? '', b.unit ?? ''))
  const parts = inOrder.flatMap((passage, at) => readParts(passage, at * 10_000))
  return parts.map((part, place) => ({ ...part, place }))
}

function takeBest(parts: Part[], count: number): Part[] {
  return parts.toSorted((a, b) => b.share - a.share).slice(0, count)
}

/** From the two best parts, because one alone may be similar by chance. */
function toValue(section: Part[], first: ModelPassage): number {
  const values = Float64Array.from(section, toPartValue).toSorted().slice(-2)
  const score = Math.max(...section.map(({ passage }) => passage.score)) / first.score
  return sum(values) / values.length + weights.score * (score || 0)
}

function toPartValue({ nearness, share }: Part): number {
  return nearness + weights.share * share
}

/** A definition is shown with its signatures, except those in its text. */
function toHeading({ title, also = [], text }: ModelPassage): string {
  const names = [title, ...also.filter((name) => !text.includes(name)).slice(0, maxSignatures - 1)]
  const name = shortTitle(title)
  const isSignature = name.endsWith('()') && (name !== title || names.length > 1)
  if (isSignature) return `**${ticked(name)}** [1]\n\n${fenced(names.join('\n'))}`
  return `**${names.map((each) => toInline(withoutEnd(each))).join(', ')}** [1]`
}

/** The sentence with most of the question. */
function toQuote({ text, held }: Part): string {
  const sentences = splitSentences(text).map(({ text }) => text)
  const counts = sentences.map((sentence) => analyze(sentence).filter((term) => held.has(term)).length)
  const best = sentences[counts.indexOf(Math.max(...counts))] ?? text
  return findQuote({ text }, best) ?? ''
}

/**
 * A term weighs little if many parts have it, because it does not distinguish them, or if the heading of the section has it:
 * "run a command with a timeout" asks `run()` for the timeout. Returns the number of these words.
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

/** Few words may be similar only because of their heading. */
async function addNearness(question: string, parts: Part[], similarities: Similarities): Promise<void> {
  const others = parts.map(({ passage, lead, text }) => [shortTitle(passage.title), lead, text].join('\n'))
  const [cosines = []] = (await similarities([{ text: question, others }])) ?? []
  for (const [at, cosine] of cosines.entries()) {
    const part = parts[at]!
    part.nearness = Math.max(0, cosine) * Math.min(1, (countWords(part.lead) + part.words) / maxLabel)
  }
}

/**
 * The best part of a section, its opening, and others by their own and their neighbors' value, as far as there is room.
 * A part comes together with its introduction and with what it introduces, or not at all.
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

/** A list, a table or code follows its introduction, even if the rest of that paragraph is omitted. */
function toBlocks(parts: Part[]): Block[] {
  const blocks: Block[] = []
  let last: Part | undefined
  for (const pieces of Map.groupBy(parts, ({ block }) => block).values()) {
    const { kind, block, lead, continues, head } = pieces[0]!
    const isLed = lead !== '' && (last?.block !== block - 1 || last.goesOn)
    const isApart = last && last.block < block - (isLed ? 2 : 1) && !last.goesOn
    if (isApart && (isLed || !continues)) blocks.push({ kind: 'paragraph', text: continuation })
    if (isLed && last?.block === block - 1 && lead.startsWith(last.text.trim())) blocks.pop()
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
/** Pieces of a split block stay together up to this number of words. */
const pieceWords = 40
/** Characters of the introduction of a list, a table or code. */
const maxLead = 200
/** Maximum words of a label: `Note`, `See also`, a term above its description. */
const maxLabel = 8

const announces = /[:：,、;]\s*$/u
const lastSentence = /(?<=[.!?]\s|[。！？])[^.!?。！？]*$/u
const sentenceEnd = /(?<=[.!?]\s|[。！？])/u
/** Text without content of its own: the number of a note or a section, a sign, the mark of a continued passage. */
const noteMark = /^(?:[[(]?\d{1,3}(?:\.\d{1,3})*\.?[\])]?|[^\p{L}\p{N}]*)$/u

/** A block of more than `above` words is split at its sentences, items, rows, empty lines or lines. */
const cuts: Record<Block['kind'], { above: number; at: RegExp }[]> = {
  paragraph: [{ above: maxWords, at: sentenceEnd }],
  list: [{ above: pieceWords, at: /\n(?=- )/u }],
  table: [{ above: pieceWords, at: /\n/u }],
  code: [
    { above: pieceWords, at: /\n(?=\n)/u },
    { above: maxWords, at: /\n/u },
  ],
}
/** Replaces omitted pieces of a block. */
const marks: Record<Block['kind'], string> = { paragraph: ' … ', list: '- …', table: '…', code: '…' }
const toGlue = (kind: Block['kind']) => (kind === 'paragraph' ? '' : '\n')

/** The first sentence of the section's first paragraph. Empty if the passage does not have it. */
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

/** A short paragraph completely, or the last sentence of a long one. */
function toLead(before: Block | undefined): string {
  if (before?.kind !== 'paragraph') return ''
  const lead = before.text.length <= maxLead ? before.text : before.text.split(sentenceEnd).at(-1)!
  return lead.length <= maxLead ? lead : ''
}

/** Short neighbors stay together. An introduction of the next block is a separate piece: "Use `-q`. For example," */
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

/** Introduces what follows: ends in a colon or a comma, or is a question or a label. */
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

/** Separated by white space, ideographs by pairs. Ten characters are a word if there are few spaces. */
function countWords(text: string): number {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  const spaced = text.trim().split(/\s+/u).length + Math.floor((ideographs?.length ?? 0) / 2)
  return Math.max(spaced, Math.ceil(text.length / maxWordLength))
}
