// The model that needs no provider: it quotes the best sections of the documentation as they stand, each with its source.
import { setImmediate } from 'node:timers/promises'
import type { Block } from '../../crawler/extract/page.ts'
import { analyze } from '../index/analyze.ts'
import type { Model, ModelPart, ModelPassage } from '../model/model.ts'
import { continuation, fenced, readPassageText } from '../search/passage-text.ts'
import type { Similarities } from '../search/similarities.ts'
import { stopWordsOf } from '../search/stop-words.ts'

const maxQuotations = 3
/** Words of one quotation. */
const maxWords = 120
const maxWordLength = 10
/** Of the best passage's score, from which a further section is quoted too. */
const minScore = 0.75
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
  const sections = passages
    .map((passage) => ({ passage, blocks: readBlocks(passage.text) }))
    .filter(({ blocks }) => blocks.length > 0)
  const weights = toWeights(
    question,
    sections.flatMap(({ blocks }) => blocks),
  )
  const chosen = choose(sections)
  // A section that is quoted whole need not be looked at block by block.
  const others = chosen.map(({ blocks }) => {
    const words = blocks.reduce((sum, { words }) => sum + words, 0)
    return words <= maxWords ? [] : blocks.map(({ text }) => text)
  })
  const nearness = await similarities(others.map((texts) => ({ text: question, others: texts })))
  const quotations = chosen.map(({ passage, blocks }, at) => {
    const excerpt = nearestPart(blocks, weights, nearness?.[at] ?? [])
    return [`**${toInline(passage.title)}** [${at + 1}]`, ...excerpt.map(toMarkdown)].join('\n\n')
  })
  return { text: quotations.join('\n\n'), quoted: chosen.map(({ passage }) => passage.label) }
}

/** A section once, and none that is much worse than the best. */
function choose<Section extends { passage: ModelPassage }>(sections: Section[]): Section[] {
  const chosen: Section[] = []
  for (const section of sections) {
    const { url, text, score } = section.passage
    const isNew = chosen.every(({ passage }) => url !== passage.url && text !== passage.text)
    if (isNew && score >= minScore * sections[0]!.passage.score) chosen.push(section)
  }
  return chosen.slice(0, maxQuotations)
}

type ReadBlock = ReturnType<typeof readBlocks>[number]

function readBlocks(text: string) {
  return readPassageText(text)
    .filter((block) => block.text.trim() !== '' && block.text !== continuation)
    .map((block) => ({ ...block, terms: new Set(analyze(block.text)), words: countWords(block.text) }))
}

/** Of each term its share of the question: what many blocks hold tells none of them apart, and weighs little. */
function toWeights(question: string, blocks: ReadBlock[]): Map<string, number> {
  const stopWords = stopWordsOf(question)
  const terms = [...new Set(analyze(question))].filter((term) => !stopWords.has(term))
  const idfs = terms.map((term) => {
    const count = blocks.filter((block) => block.terms.has(term)).length
    return Math.log(1 + (blocks.length + 1) / (count + 0.5))
  })
  const total = idfs.reduce((sum, idf) => sum + idf, 0)
  return new Map(terms.map((term, at) => [term, idfs[at]! / total]))
}

/** Beside the share of the question that a part holds, which is 1 at most. */
const partWeights = { nearness: 1, opening: 0.1, length: 0.05 }
/** What is left of a part that begins or ends amid what it belongs to. */
const tornWeight = 0.7

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
  const { start, end } = bestRun(
    blocks.map(({ words }) => words),
    (start, end, words) => {
      const part = blocks.slice(start, end)
      const isTorn =
        (start > 0 && (isAmid(part[0]!) || leads(blocks[start - 1]!))) ||
        (end < blocks.length && leads(part.at(-1)!))
      const value =
        weightOf((term) => part.some(({ terms }) => terms.has(term)), weights) +
        partWeights.nearness * Math.max(0, ...nearness.slice(start, end)) +
        (start === 0 ? partWeights.opening : 0) +
        partWeights.length * Math.min(1, words / maxWords)
      return isTorn ? tornWeight * value : value
    },
  )
  return end - start === 1 ? [shorten(blocks[start]!, weights)] : blocks.slice(start, end)
}

/** The run of pieces of the best value, up to `end`: 120 words at most, or one piece. `lengths`: words of each. */
function bestRun(lengths: number[], toValue: (start: number, end: number, words: number) => number) {
  let best = { start: 0, end: 1, value: -1 }
  for (let start = 0; start < lengths.length; start++) {
    let words = 0
    for (let end = start + 1; end <= lengths.length; end++) {
      words += lengths[end - 1]!
      if (words > maxWords && end > start + 1) break
      const value = toValue(start, end, words)
      if (value > best.value || (value === best.value && start === best.start)) best = { start, end, value }
    }
  }
  return best
}

/** Code, a list or half a sentence: what leads to it stands before. */
function isAmid({ kind, text }: Block): boolean {
  return kind !== 'paragraph' || /^\p{Ll}/u.test(text)
}

function leads({ kind, text }: Block): boolean {
  return kind === 'paragraph' && /[:：]\s*$/u.test(text)
}

function weightOf(isHeld: (term: string) => boolean, weights: Map<string, number>): number {
  return [...weights].reduce((sum, [term, weight]) => sum + (isHeld(term) ? weight : 0), 0)
}

const cuts: Partial<Record<Block['kind'], RegExp>> = { list: /(?=\n- )/u, paragraph: /(?<=[.!?。！？]\s)/u }

/** A block that is too long by itself: the run of its lines, items or sentences that is nearest to the question. */
function shorten(block: Block, weights: Map<string, number>): Block {
  if (countWords(block.text) <= maxWords) return block
  const parts = block.text.split(cuts[block.kind] ?? /(?=\n)/u)
  const values = parts.map((part) => {
    const terms = new Set(analyze(part))
    return weightOf((term) => terms.has(term), weights)
  })
  const { start, end } = bestRun(parts.map(countWords), (start, end) =>
    values.slice(start, end).reduce((sum, value) => sum + value, 0),
  )
  const text = parts.slice(start, end).join('').replace(/^\n/u, '')
  const kept = cutWords(text)
  const goesOn = end < parts.length || kept !== text
  return { ...block, text: `${start > 0 ? '… ' : ''}${kept}${goesOn ? ' …' : ''}` }
}

/** The first 120 words, by white space. */
function cutWords(text: string): string {
  if (countWords(text) <= maxWords) return text
  const [...spaces] = text.matchAll(/\s+/gu)
  return text.slice(0, Math.min(spaces[maxWords - 1]?.index ?? text.length, maxWordLength * maxWords))
}

/** By white space; ideographs by pairs; where there are few spaces, ten characters. */
function countWords(text: string): number {
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
  /(https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]|(?<![\p{L}\p{N}_`])(?:--[A-Za-z][\w-]*|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*)(?![\p{L}\p{N}_`(]))/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

function toInline(text: string): string {
  const parts = text.replace(/\s+/gu, ' ').trim().split(names)
  return parts.map((part, at) => (at % 2 === 1 ? `\`${part}\`` : part.replace(special, '\\$&'))).join('')
}
