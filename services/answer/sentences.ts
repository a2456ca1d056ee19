// Cuts Markdown into sentences: what a citation stands for, and what a passage says.
import { codeSpans, type Span } from '../sanitize/code-spans.ts'
import { readCitations } from './citations.ts'

export interface Sentence {
  kind: 'prose' | 'code'
  /** Without the marks of lists, headings and quotes; of a code block what is in it. */
  text: string
  /** Where it stands in the Markdown, in UTF-16 units; of prose all that belongs to it, citations behind it too. */
  start: number
  end: number
}

const fence = /^ {0,3}(`{3,}|~{3,})/u
/** What a line may open with: marks of lists, quotes, headings and table rows. */
const opening = /^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|>|#{1,6})[ \t]+|\|[ \t]*)+/u
const rule = /^[-*_|: \t]{3,}$/u

/** In their order. Block by block: an item of a list, a heading and a row of a table end what stands in them. */
export function toSentences(markdown: string): Sentence[] {
  const sentences: Sentence[] = []
  let fenced: { mark: string; start: number; lines: string[] } | null = null
  let prose: { start: number; end: number } | null = null
  const closeProse = () => {
    if (prose) sentences.push(...splitProse(markdown.slice(prose.start, prose.end), prose.start))
    prose = null
  }

  let start = 0
  for (const line of markdown.split('\n')) {
    const end = start + line.length
    const mark = fence.exec(line)?.[1]
    if (fenced) {
      if (mark?.startsWith(fenced.mark) && line.trim() === mark) {
        sentences.push({ kind: 'code', text: fenced.lines.join('\n'), start: fenced.start, end })
        fenced = null
      } else fenced.lines.push(line)
    } else if (mark !== undefined) {
      closeProse()
      fenced = { mark, start, lines: [] }
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
  if (fenced)
    sentences.push({ kind: 'code', text: fenced.lines.join('\n'), start: fenced.start, end: markdown.length })
  return sentences
}

function splitProse(text: string, offset: number): Sentence[] {
  return splitSentences(text).map((sentence) => ({
    kind: 'prose',
    text: sentence.text,
    start: offset + sentence.start,
    end: offset + sentence.end,
  }))
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
/** `e.g.`, `z. B.`: a point behind such letters ends no sentence. */
const abbreviated = /(?<![\p{L}\p{N}])(?:\p{Ll}\.|(?:\p{L}\.\s?){2,})\s*$/u

/** The sentences of running text. What stands in backticks is not cut; a citation belongs to what is before it. */
export function splitSentences(text: string): { text: string; start: number; end: number }[] {
  const sentences: { text: string; start: number; end: number }[] = []
  const withoutCode = mask(text, codeSpans(text), 'x')
  const masked = mask(
    withoutCode,
    readCitations(withoutCode, 0, () => true),
    ' ',
  ).replace(/\s/gu, ' ')
  let from = 0
  for (const { index, segment } of segmenter.segment(masked)) {
    const to = index + segment.length
    if (to < text.length && abbreviated.test(masked.slice(Math.max(from, to - 20), to))) continue
    const piece = text.slice(from, to)
    const start = from + (piece.length - piece.trimStart().length)
    const end = from + piece.trimEnd().length
    if (start < end) sentences.push({ text: text.slice(start, end), start, end })
    from = to
  }
  return sentences
}

/** Of the same length, the spans filled with one character. */
function mask(text: string, spans: Span[], fill: string): string {
  let masked = ''
  let last = 0
  for (const { start, end } of spans) {
    masked += text.slice(last, start) + fill.repeat(end - start)
    last = end
  }
  return masked + text.slice(last)
}
