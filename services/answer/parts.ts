// The text of a passage in parts that are quoted whole or not at all.
import type { Block } from '../../crawler/extract/page.ts'
import { analyze } from '../index/analyze.ts'
import { continuation, fenced, readPassageText } from '../search/passage.ts'

/** Words of one quotation. */
export const maxWords = 120
const maxWordLength = 10
/** Pieces of a block that is cut stay together up to so many words. */
const pieceWords = 40
/** Characters of what introduces a list, a table or code. */
const maxLead = 200
/** Words of `Note`, `See also`, a term above its description. */
export const maxLabel = 8

/** A block, or a piece of a long one. */
export interface Part extends Block {
  /** Place of its block in the passage. */
  block: number
  /** Whether it is not the beginning of its block. */
  continues: boolean
  /** What introduces it: the paragraph before code, a list or a table, or its last sentence. */
  lead: string
  /** Whether it is the first paragraph of its section: what the section is about. */
  opens: boolean
  terms: Set<string>
  words: number
}

export function readParts(text: string): Part[] {
  const blocks = readPassageText(text).filter(({ text }) => !noteMark.test(text.trim()))
  const opening = text.startsWith(continuation)
    ? -1
    : blocks.findIndex(({ kind, text }) => kind === 'paragraph' && countWords(text) > maxLabel)
  return blocks.flatMap((block, at) => {
    const lead = block.kind === 'paragraph' ? '' : toLead(blocks[at - 1])
    return toPieces(block).map((text, n) => ({
      ...block,
      text,
      block: at,
      continues: n > 0,
      lead,
      opens: at === opening && n === 0,
      terms: new Set(analyze(text)),
      words: countWords(text),
    }))
  })
}

/** A short paragraph whole, of a long one its last sentence. */
function toLead(before: Block | undefined): string {
  if (before?.kind !== 'paragraph') return ''
  const lead = before.text.length <= maxLead ? before.text : before.text.split(sentenceEnd).at(-1)!
  return lead.length <= maxLead ? lead : ''
}

const announces = /[:：,、;]\s*$/u
const lastSentence = /(?<=[.!?]\s|[。！？])[^.!?。！？]*$/u
const sentenceEnd = /(?<=[.!?]\s|[。！？])/u
/** What says nothing by itself: the number of a note, a sign, the mark of a passage that goes on. */
const noteMark = /^(?:[[(]?\d{1,3}[\])]?|[^\p{L}\p{N}]*)$/u

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
/** What parts pieces of a block, and how is shown that it begins before them and goes on behind them. */
export const joints: Record<Block['kind'], { glue: string; before: string; after: string }> = {
  paragraph: { glue: '', before: '… ', after: ' …' },
  list: { glue: '\n', before: '- …\n', after: '\n- …' },
  table: { glue: '\n', before: '…\n', after: '\n…' },
  code: { glue: '\n', before: '…\n', after: '\n…' },
}

/** Neighbours that are short together stay together. */
function toPieces({ kind, text }: Block): string[] {
  const { glue } = joints[kind]
  let pieces = [text]
  for (const { above, at } of cuts[kind]) {
    pieces = pieces.flatMap((piece) =>
      countWords(piece) > above ? joinShort(piece.split(at), glue) : [piece],
    )
  }
  return pieces.flatMap((piece) => (kind === 'paragraph' ? setOffLead(piece) : [piece])).map(cutWords)
}

/** The last sentence alone, where it announces what follows: "Use `-q`. For example," */
function setOffLead(text: string): string[] {
  const at = announces.test(text) ? text.search(lastSentence) : -1
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at)]
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

/** Announces what follows: ends in a colon or a comma, or is a label. */
export function leads({ kind, text, words }: Part): boolean {
  if (kind !== 'paragraph') return false
  return announces.test(text) || (words <= maxLabel && !/[.!?。！？…]\P{L}*$/u.test(text))
}

/** The first 120 words, by white space. */
function cutWords(text: string): string {
  if (countWords(text) <= maxWords) return text
  const [...spaces] = text.matchAll(/\s+/gu)
  return `${text.slice(0, Math.min(spaces[maxWords - 1]?.index ?? text.length, maxWordLength * maxWords))} …`
}

/** By white space; ideographs by pairs; where there are few spaces, ten characters. */
export function countWords(text: string): number {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  const spaced = text.trim().split(/\s+/u).length + Math.floor((ideographs?.length ?? 0) / 2)
  return Math.max(spaced, Math.ceil(text.length / maxWordLength))
}

export function toMarkdown({ kind, text }: Block): string {
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
  /(https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]|(?<![\p{L}\p{N}_`-])(?:--[A-Za-z][\w-]*(?<!-)|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*)(?![\p{L}\p{N}_`(-]))/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

export function toInline(text: string): string {
  const parts = text.replace(/\s+/gu, ' ').trim().split(names)
  return parts.map((part, at) => (at % 2 === 1 ? `\`${part}\`` : part.replace(special, '\\$&'))).join('')
}
