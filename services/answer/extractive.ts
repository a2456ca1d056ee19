// The model that needs no provider: it quotes the best sections of the documentation as they stand, each with its source.
import { setImmediate } from 'node:timers/promises'
import type { Block } from '../../crawler/extract/page.ts'
import { analyze } from '../index/analyze.ts'
import type { Model, ModelPart, ModelPassage } from '../model/model.ts'
import type { Similarities } from '../search/similarities.ts'
import { stopWordsOf } from '../stop-words.ts'
import {
  countWords,
  joints,
  leads,
  maxLabel,
  maxWords,
  type Part,
  readParts,
  toInline,
  toMarkdown,
} from './parts.ts'
import { shortTitle } from './titles.ts'

const maxQuotations = 3
/** Of the best passage's score, from which a further section is quoted too. This and the weights below were chosen by hand; no benchmark judges excerpts. */
const minScore = 0.75
/** Parts of a section that are compared with the question. */
const maxCompared = 12
/** Of the stream: three words each. */
const pieces = /(?:\S+\s*){1,3}|\s+/gu

/** `similarities`: where it answers null, the part of a section is chosen by its words. */
export function createExtractive(similarities: Similarities): Model {
  return {
    name: 'extractive',
    isVerbatim: true,
    async *answer({ question, passages }, signal): AsyncIterable<ModelPart> {
      signal.throwIfAborted()
      const { text, quoted } = await quoteSections(question, passages, similarities)
      for (const piece of text.match(pieces) ?? []) {
        signal.throwIfAborted()
        yield { type: 'text', text: piece }
        await setImmediate()
      }
      yield { type: 'end', reason: 'stop', quoted }
    },
  }
}

/** `passages`: best first. `text`: Markdown. `quoted`: labels of the passages that its `[1]`, `[2]` … stand for. */
export async function quoteSections(
  question: string,
  passages: ModelPassage[],
  similarities: Similarities,
): Promise<{ text: string; quoted: number[] }> {
  const all = passages.map((passage) => ({ passage, parts: readParts(passage.text) }))
  const read = all.filter(({ parts }) => parts.length > 0)
  const shares = toShares(question, read)
  const sections = choose(read).map((section) =>
    section.map(({ passage, parts }) => ({ passage, parts: judge(parts, passage.title, shares) })),
  )
  await addNearness(question, sections, similarities)
  const excerpts = sections.map(nearestExcerpt)
  const quotations = excerpts.map(({ passage, blocks }, at) =>
    [`**${toInline(passage.title)}** [${at + 1}]`, ...blocks.map(toMarkdown)].join('\n\n'),
  )
  return { text: quotations.join('\n\n'), quoted: excerpts.map(({ passage }) => passage.label) }
}

/** A passage of a section; a long section may have been found by several. */
interface Read<OnePart extends Part = JudgedPart> {
  passage: ModelPassage
  parts: OnePart[]
}

/** Sections with their passages: each once, and none that is much worse than the best. */
function choose(read: Read<Part>[]): Read<Part>[][] {
  const sections: Read<Part>[][] = []
  for (const each of read) {
    const { url, text, score } = each.passage
    if (sections.flat().some(({ passage }) => passage.text === text)) continue
    const known = sections.find(([first]) => first!.passage.url === url)
    if (known) known.push(each)
    else if (score >= minScore * read[0]!.passage.score) sections.push([each])
  }
  return sections.slice(0, maxQuotations)
}

/** Of each term its share of the question: what many parts hold tells none of them apart, and weighs little. */
function toShares(question: string, read: Read<Part>[]): Map<string, number> {
  const parts = read.flatMap(({ parts }) => parts)
  const stopWords = stopWordsOf(question)
  const terms = [...new Set(analyze(question))].filter((term) => !stopWords.has(term))
  const idfs = terms.map((term) => {
    const count = parts.filter((part) => part.terms.has(term)).length
    return Math.log(1 + (parts.length + 1) / (count + 0.5))
  })
  return new Map(terms.map((term, at) => [term, idfs[at]! / sum(idfs)]))
}

interface JudgedPart extends Part {
  /** The terms of the question that it holds, with their shares. */
  held: [term: string, share: number][]
  share: number
  /** Cosine with the question; 0 where nobody can tell. */
  nearness: number
}

/** What the heading says tells its parts less apart: "run a command with a timeout" asks `run()` for the timeout. */
function judge(parts: Part[], title: string, shares: Map<string, number>): JudgedPart[] {
  const known = new Set(analyze(shortTitle(title)))
  const asked = new Map([...shares].map(([term, share]) => [term, known.has(term) ? share / 2 : share]))
  return parts.map((part) => {
    const held = [...asked].filter(([term]) => part.terms.has(term))
    return { ...part, held, share: sum(held.map(([, share]) => share)), nearness: 0 }
  })
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0)
}

/** Whether it is quoted whole. */
function isShort([first, ...others]: Read[]): boolean {
  return others.length === 0 && sum(first!.parts.map(({ words }) => words)) <= maxWords
}

/** Those that hold most of it are asked for first: there may be no time for all. A few words are near by their heading alone. */
async function addNearness(question: string, sections: Read[][], similarities: Similarities): Promise<void> {
  const ofSection = (section: Read[]) =>
    toSortedByShare(section.flatMap(({ passage, parts }) => parts.map((part) => ({ passage, part }))))
  const long = sections.filter((section) => !isShort(section))
  const asked = toSortedByShare(long.flatMap((section) => ofSection(section).slice(0, maxCompared)))
  const others = asked.map(({ passage, part }) =>
    [shortTitle(passage.title), part.lead, part.text].join('\n'),
  )
  const [cosines = []] = (await similarities([{ text: question, others }])) ?? []
  for (const [at, cosine] of cosines.entries()) {
    const { part } = asked[at]!
    part.nearness = Math.max(0, cosine) * Math.min(1, (countWords(part.lead) + part.words) / maxLabel)
  }
}

function toSortedByShare<Entry extends { part: JudgedPart }>(entries: Entry[]): Entry[] {
  return entries.toSorted((a, b) => b.part.share - a.part.share)
}

/** What counts beside the nearness of an excerpt's best part. */
const weights = {
  /** The share of the question that this part holds, and that all parts hold between them. */
  share: 0.5,
  union: 0.3,
  /** How near an excerpt is that is as long as it may be. */
  amount: 0.5,
  /** That it holds the section's first paragraph, which says what the section is about. */
  opening: 0.07,
}
/** What an excerpt loses that is cut off behind what introduces the next part, before code or a list, amid a block. */
const tears = { lead: 0.2, joined: 0.1, block: 0.05 }

/**
 * Of the passages of a section the parts in a row, 120 words at most, round the one that is nearest to the question, with as
 * much of it as they can hold between them.
 *
 *   question  "kill a command when it runs too long"
 *   parts     [0] "Run a command." [1] "If the timeout expires, the command is killed:" [2] code [3] 100 words on shells
 *   excerpt   0–2: [1] is nearest, 1–3 hold no more of the question, and 0–1 is cut off from its code
 */
function nearestExcerpt(section: Read[]): { passage: ModelPassage; blocks: Block[] } {
  const { passage, parts } = section[0]!
  if (isShort(section)) return { passage, blocks: toBlocks(parts, 0, parts.length) }
  let best = { passage, parts, start: 0, end: 1, value: -1 }
  for (const { passage, parts } of section) {
    for (let start = 0; start < parts.length; start++) {
      let words = countWords(leadOf(parts[start]!))
      for (let end = start + 1; end <= parts.length; end++) {
        words += parts[end - 1]!.words
        if (words > maxWords && end > start + 1) break
        const value = toValue(parts, start, end)
        if (value > best.value) best = { passage, parts, start, end, value }
      }
    }
  }
  return { passage: best.passage, blocks: toBlocks(best.parts, best.start, best.end) }
}

function toValue(parts: JudgedPart[], start: number, end: number): number {
  const inside = parts.slice(start, end)
  const values = inside.map(({ nearness, share }) => nearness + weights.share * share)
  const amount = sum(inside.map(({ words }, at) => (values[at]! * words) / maxWords))
  const union = sum(new Map(inside.flatMap(({ held }) => held)).values())
  return (
    Math.max(...values) +
    weights.union * union +
    weights.amount * amount +
    (inside.some(({ opens }) => opens) ? weights.opening : 0) -
    tearOf(parts[start - 1], parts[start]!) -
    tearOf(parts[end - 1]!, parts[end])
  )
}

/** Between two parts, of which one is quoted. */
function tearOf(before: Part | undefined, after: Part | undefined): number {
  if (before === undefined || after === undefined) return 0
  if (leads(before)) return tears.lead
  if (before.block === after.block) return tears.block
  if (after.kind !== 'paragraph' || /^\p{Ll}/u.test(after.text)) return tears.joined
  return before.kind === 'paragraph' ? 0 : tears.block
}

/** What introduces a list, a table or code stands before an excerpt that begins amid it. */
function leadOf({ continues, lead }: Part): string {
  return continues ? lead : ''
}

function toBlocks(parts: Part[], start: number, end: number): Block[] {
  const lead = leadOf(parts[start]!)
  const blocks: Block[] = lead === '' ? [] : [{ kind: 'paragraph', text: lead }]
  for (const pieces of Map.groupBy(parts.slice(start, end), ({ block }) => block).values()) {
    const { kind, continues } = pieces[0]!
    const { glue, before, after } = joints[kind]
    const text = pieces.map(({ text }) => text).join(glue)
    const goesOn = parts[parts.indexOf(pieces.at(-1)!) + 1]?.continues
    const shown = text.replace(/^\n+/u, '').trimEnd()
    blocks.push({ kind, text: `${continues ? before : ''}${shown}${goesOn ? after : ''}` })
  }
  return blocks
}
