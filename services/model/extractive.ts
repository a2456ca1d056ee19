// The model that needs no provider: it quotes the best sections of the documentation as they stand, each with its source.
import { setImmediate } from 'node:timers/promises'
import type { Block } from '../../crawler/extract/page.ts'
import { analyze } from '../index/analyze.ts'
import { continuation, fenced, readPassageText } from '../search/passage-text.ts'
import { stopWords } from '../search/stop-words.ts'
import type { Model, ModelPart, ModelPassage } from './model.ts'

const maxQuotations = 3
/** Words of one quotation. */
const maxWords = 120
/** Score, beside the best passage's, from which a further section is quoted too. */
const nearlyAsGood = 0.75
/** Words in a piece of the stream. */
const pieceWords = 3

export function createExtractive(): Model {
  return {
    name: 'extractive',
    isVerbatim: true,
    async *answer({ question, passages }, signal): AsyncIterable<ModelPart> {
      signal.throwIfAborted()
      const { text, quoted } = quoteSections(question, passages)
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
export function quoteSections(question: string, passages: ModelPassage[]): Quotations {
  const terms = termsOf(question)
  const blocksOf = new Map(passages.map((passage) => [passage, readBlocks(passage.text)]))
  const rarity = rarityIn([...blocksOf.values()].flat())
  const chosen = choose(passages.filter((passage) => blocksOf.get(passage)!.length > 0))
  const quotations = chosen.map((passage, at) => {
    const excerpt = nearestPart(blocksOf.get(passage)!, terms, rarity)
    return [`**${toInline(passage.title)}** [${at + 1}]`, ...excerpt.map(toMarkdown)].join('\n\n')
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

function readBlocks(text: string): Block[] {
  return readPassageText(text).filter((block) => block.text.trim() !== '' && block.text !== continuation)
}

function termsOf(text: string): Set<string> {
  return new Set(analyze(text).filter((term) => !stopWords.has(term)))
}

/** What many blocks hold tells none of them apart. */
function rarityIn(blocks: Block[]): (term: string) => number {
  const counts = new Map<string, number>()
  for (const { text } of blocks)
    for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return (term) => Math.log(1 + (blocks.length + 1) / ((counts.get(term) ?? 0) + 0.5))
}

/**
 * The part of a section that is nearest to the question: blocks in a row, 120 words at most, that hold the most of its
 * rare words. Of several the longest, and of these the first. What leads to a list or to code goes with it.
 *
 *   question  "kill a command when it runs too long"
 *   blocks    [0] "Run a command." [1] "If the timeout expires, the command is killed:" [2] code [3] 100 words on shells
 *   runs      0–2 hold `command`, `kill`, `run`; 1–3 hold more words, but less of the question
 */
function nearestPart(blocks: Block[], terms: Set<string>, rarity: (term: string) => number): Block[] {
  let best: { part: Block[]; value: number } = { part: [], value: -1 }
  for (let start = 0; start < blocks.length; start++) {
    const held = new Set<string>()
    let words = 0
    for (let end = start; end < blocks.length; end++) {
      words += wordsOf(blocks[end]!.text)
      if (words > maxWords && end > start) break
      for (const term of termsOf(blocks[end]!.text)) if (terms.has(term)) held.add(term)
      const isTorn = leads(blocks[start - 1]) || (leads(blocks[end]) && end + 1 < blocks.length)
      const worth = [...held].reduce((sum, term) => sum + rarity(term), 0)
      const value = worth * (isTorn ? tornWorth : 1) + Math.min(words, maxWords) / 1_000
      if (value > best.value) best = { part: blocks.slice(start, end + 1), value }
    }
  }
  return best.part.length === 1 ? [shorten(best.part[0]!, terms, rarity)] : best.part
}

/** What is left of a part whose first or last sentence hangs in the air. */
const tornWorth = 0.7

function leads(block: Block | undefined): boolean {
  return block?.kind === 'paragraph' && /[:：]\s*$/u.test(block.text)
}

/** A block that is too long by itself: the run of its lines, items or sentences that is nearest to the question. */
function shorten(block: Block, terms: Set<string>, rarity: (term: string) => number): Block {
  if (wordsOf(block.text) <= maxWords) return block
  const parts = block.text.split(cuts[block.kind] ?? /(?=\n)/u)
  const lengths = parts.map(wordsOf)
  const values = parts.map((part) =>
    [...termsOf(part)].reduce((sum, term) => sum + (terms.has(term) ? rarity(term) : 0), 0),
  )
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
  return text.slice(0, Math.min(spaces[maxWords - 1]?.index ?? text.length, 10 * maxWords))
}

/** Ideographs count by pairs. */
function wordsOf(text: string): number {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  return text.trim().split(/\s+/u).length + Math.floor((ideographs?.length ?? 0) / 2)
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
  /https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"]|(?<![\p{L}\p{N}_`])(?:--[A-Za-z][\w-]*|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*)(?![\p{L}\p{N}_`(])/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special = /[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

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
