// Reads Markdown: its sentences, their citations, and inline code.

interface Span {
  /** In UTF-16 units. */
  start: number
  end: number
}

export interface Sentence extends Span {
  kind: 'prose' | 'code'
  /** Without the markup of lists, headings and quotes. For a code block, its content. */
  text: string
}

const fence = /^ {0,3}(`{3,}|~{3,})/u
/** Start of a line: marks of lists, quotes, headings and table rows. */
const opening = /^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|>|#{1,6})[ \t]+|\|[ \t]*)+/u
const rule = /^[-*_|: \t]{3,}$/u

/** In order. No sentence extends beyond its block. */
export function toSentences(markdown: string): Sentence[] {
  return readBlocks(markdown).flatMap((block) =>
    block.kind === 'code' ? [block] : splitSentences(block.text, block.start),
  )
}

/** In order. Each list item, heading and table row is a block. `text` of prose is unchanged. */
export function readBlocks(markdown: string): Sentence[] {
  const blocks: Sentence[] = []
  let code: { mark: string; start: number; lines: string[] } | null = null
  let prose: Span | null = null
  const closeCode = (end: number) => {
    if (code) blocks.push({ kind: 'code', text: code.lines.join('\n'), start: code.start, end })
    code = null
  }
  const closeProse = () => {
    if (prose) blocks.push({ kind: 'prose', text: markdown.slice(prose.start, prose.end), ...prose })
    prose = null
  }

  let start = 0
  for (const line of markdown.split('\n')) {
    const end = start + line.length
    const mark = fence.exec(line)?.[1]
    if (code) {
      if (mark?.startsWith(code.mark) && line.trim() === mark) closeCode(end)
      else code.lines.push(line)
    } else if (mark !== undefined) {
      closeProse()
      code = { mark, start, lines: [] }
    } else if (line.trim() === '' || rule.test(line)) closeProse()
    else {
      const mark = opening.exec(line)?.[0] ?? ''
      if (mark !== '') closeProse()
      prose ??= { start: start + mark.length, end }
      prose.end = end
      if (mark.includes('#')) closeProse()
    }
    start = end + 1
  }
  closeProse()
  closeCode(markdown.length)
  return blocks
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
/** `e.g.`, `z. B.`: a period after such letters ends no sentence. */
const abbreviation = /(?<![\p{L}\p{N}])(?:\p{Ll}\.|(?:\p{L}\.\s?){2,})\s*$/u

/** The sentences of text at `offset`. Code is not split. A citation belongs to the text before it. */
export function splitSentences(text: string, offset = 0): Sentence[] {
  const sentences: Sentence[] = []
  const fill = (character: string) => (span: Span) => character.repeat(span.end - span.start)
  const withoutCode = replaceSpans(text, codeSpans(text), fill('x'))
  const marks = readCitations(withoutCode, 0, () => true)
  const masked = replaceSpans(withoutCode, marks, fill(' ')).replace(/\s/gu, ' ')
  let from = 0
  for (const { index, segment } of segmenter.segment(masked)) {
    const to = index + segment.length
    if (to < text.length && abbreviation.test(masked.slice(Math.max(from, to - 20), to))) continue
    const piece = text.slice(from, to)
    const start = offset + from + (piece.length - piece.trimStart().length)
    if (piece.trim() !== '') {
      sentences.push({ kind: 'prose', text: piece.trim(), start, end: start + piece.trim().length })
    }
    from = to
  }
  return sentences
}

export interface Citation extends Span {
  /** Labels of passages, or invented ones. */
  labels: number[]
}

/** `[1]`, `[2, 3]`, and other forms that models write: `[^1]`, `【1】`, `[1](address)`. */
const citation =
  /\[\^?(?<labels>\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?|【(?<wide>\d{1,3})(?:†[^】\n]*)?】/gu

/**
 * The citations in prose at `offset`, each with the white space before it. Code has none, and `items[0]` is none
 * either: directly after a word, a number counts only if it is an existing label at the end of a clause.
 */
export function readCitations(text: string, offset: number, isLabel: (label: number) => boolean): Citation[] {
  const code = codeSpans(text)
  let next = 0
  return [...text.matchAll(citation)].flatMap(({ index, 0: mark, groups }) => {
    while (next < code.length && code[next]!.end <= index) next++
    if (next < code.length && code[next]!.start < index) return []
    const labels = (groups!.labels ?? groups!.wide!).split(/[,;]/u).map(Number)
    let start = index
    while (start > 0 && ' \t'.includes(text[start - 1]!)) start--
    const end = index + mark.length
    const isClose = mark.startsWith('[') && /[\p{L}\p{N}_]/u.test(text[index - 1] ?? '')
    const endsClause = /^(?:[.,;:!?。、)]|\s*$|\s*\[\d)/u.test(text.slice(end, end + 8))
    if (isClose && !(endsClause && labels.every(isLabel))) return []
    return [{ labels, start: offset + start, end: offset + end }]
  })
}

/** Inline code: between runs of backticks of the same length. */
export function codeSpans(text: string): Span[] {
  return [...text.matchAll(/(?<!`)(?<ticks>`+)(?!`)[\s\S]*?(?<!`)\k<ticks>(?!`)/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** `spans`: in order. */
export function replaceSpans<S extends Span>(
  text: string,
  spans: Iterable<S>,
  toText: (span: S) => string,
): string {
  let replaced = ''
  let last = 0
  for (const span of spans) {
    replaced += text.slice(last, span.start) + toText(span)
    last = span.end
  }
  return replaced + text.slice(last)
}
