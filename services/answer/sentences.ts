// Cuts an answer in Markdown into sentences: what a citation stands for (decisions.md "Chat", checked sources).

import { codeSpans, spansIn } from '../sanitize/code-spans.ts'

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
const rule = /^[ \t]*(?:[-*_|: ]{3,})$/u

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

/** A sentence's end: the mark, closing quotes and brackets, and citations that follow at once. */
const ending =
  /(?:(?<![.!?…])[.!?…]+[)\]"'”’*_]*(?:[ \t]*(?:\[\^?\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]|【\d[^】]*】))*(?=\s|$)|[。！？]+[」』）"”]*(?:[ \t]*\[\d{1,3}\])*)/gu
/** They end a sentence only where a capital follows, and the second kind only goes with a number. */
const abbreviation = /(?:^|[\s(“"])(?:e\.g|i\.e|etc|vs|cf|al|approx|incl|resp|ca|aka|dr|mr|mrs|ms|prof)\.$/iu
const neverLast = /(?:^|[\s(“"])(?:e\.g|i\.e|vs|cf|dr|mr|mrs|ms|prof)\.$/iu
const numbered = /(?:^|[\s(“"])(?:fig|no|nos|vol|sec|ch|ver|p|pp)\.$/iu

/** The sentences of running text without blocks. `a.b`, 3.11 and what stands in backticks are not cut. */
export function splitSentences(text: string): { text: string; start: number; end: number }[] {
  const inCode = spansIn(codeSpans(text))
  const sentences: { text: string; start: number; end: number }[] = []
  let from = 0
  const close = (to: number) => {
    const piece = text.slice(from, to)
    const start = from + (piece.length - piece.trimStart().length)
    const end = from + piece.trimEnd().length
    if (start < end) sentences.push({ text: text.slice(start, end), start, end })
    from = to
  }
  for (const match of text.matchAll(ending)) {
    const to = match.index + match[0].length
    if (to <= from || inCode(match.index)) continue
    if (
      !goesOn(
        text.slice(Math.max(from, match.index - 20), match.index) + match[0][0],
        match[0],
        text.slice(to),
      )
    ) {
      close(to)
    }
  }
  close(text.length)
  return sentences
}

function goesOn(before: string, mark: string, after: string): boolean {
  const next = after.trimStart()
  if (/^(?:\.\.|…)/u.test(mark)) return /^\p{Ll}/u.test(next)
  if (numbered.test(before)) return /^\p{N}/u.test(next)
  return abbreviation.test(before) && (neverLast.test(before) || /^[\p{Ll}\p{N}(]/u.test(next))
}
