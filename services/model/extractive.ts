// The model that needs no provider: it quotes the best sections of the documentation as they stand, each with its source.
import { setImmediate } from 'node:timers/promises'
import type { Block } from '../../crawler/extract/page.ts'
import { analyze } from '../index/analyze.ts'
import { continuation, fenced, readPassageText } from '../search/passage-text.ts'
import type { Similarities } from '../search/similarities.ts'
import { stopWordsOf } from '../search/stop-words.ts'
import type { Model, ModelPart, ModelPassage } from './model.ts'

const maxQuotations = 3
/** Words of one quotation. */
const maxWords = 120
const maxWordLength = 10
/** Score, beside the best passage's, from which a further section is quoted too. */
const nearlyAsGood = 0.75
/** Words in a piece of the stream. */
const pieceWords = 3

/** `similarities`: where it answers null, the part of a section is chosen by its words. */
export function createExtractive(similarities: Similarities): Model {
  return {
    name: 'extractive',
    isVerbatim: true,
    async *answer({ question, passages }, signal): AsyncIterable<ModelPart> {
      signal.throwIfAborted()
      const { text, quoted } = await quoteSections(question, passages, similarities)
      for (const piece of toPieces(text)) {
        signal.throwIfAborted()
        yield { type: 'text', text: piece }
        await setImmediate()
      }
      yield { type: 'end', reason: 'stop', quoted }
    },
  }
}

export interface Quotations {
  /** Markdown: of each section its title, citation and excerpt; empty where no passage holds text. */
  text: string
  /** Labels of the passages that `[1]`, `[2]` … of the text stand for. */
  quoted: number[]
}

/** `passages`: best first. */
export async function quoteSections(
  question: string,
  passages: ModelPassage[],
  similarities: Similarities,
): Promise<Quotations> {
  const blocksOf = new Map(passages.map((passage) => [passage, readBlocks(passage.text)]))
  const stopWords = stopWordsOf(question)
  const asked = [...termsOf(question)].filter((term) => !stopWords.has(term))
  const weights = weigh(asked, [...blocksOf.values()].flat())
  const chosen = choose(passages.filter((passage) => blocksOf.get(passage)!.length > 0))
  const sections = chosen.map((passage) => blocksOf.get(passage)!)
  // A section that is quoted whole need not be looked at block by block.
  const others = sections.map((blocks) => (isShort(blocks) ? [] : blocks.map(({ text }) => text)))
  const nearness = await similarities(others.map((texts) => ({ text: question, others: texts })))
  const quotations = chosen.map(({ title }, at) => {
    const excerpt = nearestPart(sections[at]!, weights, nearness?.[at] ?? [])
    return [`**${toInline(title)}** [${at + 1}]`, ...excerpt.map(toMarkdown)].join('\n\n')
  })
  return { text: quotations.join('\n\n'), quoted: chosen.map(({ label }) => label) }
}

/** A section once, and none that is much worse than the best. */
function choose(passages: ModelPassage[]): ModelPassage[] {
  const chosen: ModelPassage[] = []
  for (const passage of passages) {
    const isNew = chosen.every(({ url, text }) => url !== passage.url && text !== passage.text)
    if (isNew && passage.score >= nearlyAsGood * passages[0]!.score) chosen.push(passage)
  }
  return chosen.slice(0, maxQuotations)
}

/** A block, its terms, each once, and its words counted. */
interface ReadBlock extends Block {
  terms: Set<string>
  words: number
}

function readBlocks(text: string): ReadBlock[] {
  return readPassageText(text)
    .filter((block) => block.text.trim() !== '' && block.text !== continuation)
    .map((block) => ({ ...block, terms: termsOf(block.text), words: wordsOf(block.text) }))
}

function termsOf(text: string): Set<string> {
  return new Set(analyze(text))
}

/** Of each term its share of the question: what many blocks hold tells none of them apart, and weighs little. */
function weigh(terms: string[], blocks: ReadBlock[]): Map<string, number> {
  const rarities = terms.map((term) => {
    const count = blocks.filter((block) => block.terms.has(term)).length
    return [term, Math.log(1 + (blocks.length + 1) / (count + 0.5))] as const
  })
  const total = rarities.reduce((sum, [, rarity]) => sum + rarity, 0)
  return new Map(rarities.map(([term, rarity]) => [term, rarity / total]))
}

function isShort(blocks: ReadBlock[]): boolean {
  return blocks.reduce((sum, { words }) => sum + words, 0) <= maxWords
}

/** Beside the share of the question that a part holds, which is 1 at most. */
const worth = { nearness: 1, opening: 0.1, length: 0.05 }
/** What is left of a part that begins or ends amid what it belongs to. */
const torn = 0.7

/**
 * The part of a section that is nearest to the question: blocks in a row, 120 words at most, that hold the most of its
 * rare words, and the block that is nearest to it in meaning. The section's beginning says what it is about. `nearness`:
 * of each block, empty where nobody can tell.
 *
 *   question  "kill a command when it runs too long"
 *   blocks    [0] "Run a command." [1] "If the timeout expires, the command is killed:" [2] code [3] 100 words on shells
 *   parts     0–2 hold `command`, `kill`, `run`; 1–3 hold no more of the question, and 0–1 is cut off from its code
 */
function nearestPart(blocks: ReadBlock[], weights: Map<string, number>, nearness: number[]): Block[] {
  const terms = blocks.map((block) => [...weights.keys()].filter((term) => block.terms.has(term)))
  let best: { part: ReadBlock[]; value: number } = { part: [], value: -1 }
  for (let start = 0; start < blocks.length; start++) {
    const held = new Set<string>()
    let words = 0
    for (let end = start; end < blocks.length; end++) {
      words += blocks[end]!.words
      if (words > maxWords && end > start) break
      for (const term of terms[end]!) held.add(term)
      const isTorn =
        (start > 0 && (isAmid(blocks[start]!) || leads(blocks[start - 1]!))) ||
        (leads(blocks[end]!) && end + 1 < blocks.length)
      const value =
        shareOf(held, weights) +
        worth.nearness * Math.max(0, ...nearness.slice(start, end + 1)) +
        (start === 0 ? worth.opening : 0) +
        worth.length * Math.min(1, words / maxWords)
      const left = value * (isTorn ? torn : 1)
      if (left > best.value) best = { part: blocks.slice(start, end + 1), value: left }
    }
  }
  return best.part.length === 1 ? [shorten(best.part[0]!, weights)] : best.part
}

/** Code, a list or half a sentence: what leads to it stands before. */
function isAmid({ kind, text }: Block): boolean {
  return kind !== 'paragraph' || /^\p{Ll}/u.test(text)
}

function leads({ kind, text }: Block): boolean {
  return kind === 'paragraph' && /[:：]\s*$/u.test(text)
}

function shareOf(held: Set<string>, weights: Map<string, number>): number {
  return [...weights].reduce((sum, [term, weight]) => sum + (held.has(term) ? weight : 0), 0)
}

/** A block that is too long by itself: the run of its lines, items or sentences that is nearest to the question. */
function shorten(block: Block, weights: Map<string, number>): Block {
  if (wordsOf(block.text) <= maxWords) return block
  const parts = block.text.split(cuts[block.kind] ?? /(?=\n)/u)
  const lengths = parts.map(wordsOf)
  const values = parts.map((part) => shareOf(termsOf(part), weights))
  let best = { start: 0, end: 1, value: -1 }
  for (let start = 0; start < parts.length; start++) {
    let [words, value] = [0, 0]
    for (let end = start; end < parts.length && (words + lengths[end]! <= maxWords || end === start); end++) {
      words += lengths[end]!
      value += values[end]!
      if (value > best.value) best = { start, end: end + 1, value }
      else if (value === best.value && start === best.start) best.end = end + 1
    }
  }
  const text = parts.slice(best.start, best.end).join('').replace(/^\n/u, '')
  const kept = cutWords(text)
  const goesOn = best.end < parts.length || kept !== text
  return { ...block, text: `${best.start > 0 ? '… ' : ''}${kept}${goesOn ? ' …' : ''}` }
}

const cuts: Partial<Record<Block['kind'], RegExp>> = { list: /(?=\n- )/u, paragraph: /(?<=[.!?。！？]\s)/u }

/** The first 120 words, by white space. */
function cutWords(text: string): string {
  if (wordsOf(text) <= maxWords) return text
  const [...spaces] = text.matchAll(/\s+/gu)
  return text.slice(0, Math.min(spaces[maxWords - 1]?.index ?? text.length, maxWordLength * maxWords))
}

/** By white space; ideographs by pairs; where there are few spaces, ten characters. */
function wordsOf(text: string): number {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  const spaced = text.trim().split(/\s+/u).length + Math.floor((ideographs?.length ?? 0) / 2)
  return Math.max(spaced, Math.ceil(text.length / maxWordLength))
}

/** A block as Markdown that shows exactly its text. */
function toMarkdown({ kind, text }: Block): string {
  if (kind === 'code') return fenced(text)
  if (kind === 'list') {
    const items = text.split(/\n(?=- )/u)
    return items.map((item) => `- ${toInline(item.replace(/^- /u, ''))}`).join('\n')
  }
  if (kind === 'table') return text.split('\n').map(toInline).join('  \n')
  return toInline(text)
}

/** Addresses, long options, calls, dotted and underscored names: shown as code. */
const names =
  /https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]|(?<![\p{L}\p{N}_`])(?:--[A-Za-z][\w-]*|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*)(?![\p{L}\p{N}_`(])/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

function toInline(text: string): string {
  const plain = text.replace(/\s+/gu, ' ').trim()
  let shown = ''
  let last = 0
  for (const { 0: name, index } of plain.matchAll(names)) {
    shown += `${escaped(plain.slice(last, index))}\`${name}\``
    last = index + name.length
  }
  return shown + escaped(plain.slice(last))
}

function escaped(text: string): string {
  return text.replace(special, (mark) => `\\${mark}`)
}

/** Cut behind words; joined they are the text. */
function toPieces(text: string): string[] {
  return text.match(new RegExp(String.raw`(?:\S+\s*){1,${pieceWords}}|\s+`, 'gu')) ?? []
}
