// The citation marks of an answer: `[1]`, `[2, 3]`, and what models make of them (`[^1]`, `【1】`, `[1](address)`).

import { codeSpans, spansIn } from '../sanitize/code-spans.ts'

export interface CitationMark {
  /** As they stand there: of passages or invented. */
  labels: number[]
  /** Where the mark stands, in UTF-16 units, with the white space before it. */
  start: number
  end: number
}

const mark =
  /\[\^?(?<labels>\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?|【(?<wide>\d{1,3})(?:†[^】\n]*)?】/gu

/**
 * The marks in a stretch of prose that starts at `offset`; code in it has none. `items[0]` is no citation either: close
 * to a word a number counts only if it is a label that there is, and ends what is said.
 */
export function readCitations(
  text: string,
  offset: number,
  isLabel: (label: number) => boolean,
): CitationMark[] {
  const inCode = spansIn(codeSpans(text))
  const marks: CitationMark[] = []
  for (const match of text.matchAll(mark)) {
    const labels = (match.groups!.labels ?? match.groups!.wide!).split(/[,;]/u).map(Number)
    if (inCode(match.index)) continue
    let start = match.index
    while (start > 0 && ' \t'.includes(text[start - 1]!)) start--
    const end = match.index + match[0].length
    const isClose = match[0].startsWith('[') && /[\p{L}\p{N}_]/u.test(text[match.index - 1] ?? '')
    if (
      isClose &&
      !(labels.every(isLabel) && /^(?:[.,;:!?。、)]|\s*$|\s*\[\d)/u.test(text.slice(end, end + 8)))
    )
      continue
    marks.push({ labels, start: offset + start, end: offset + end })
  }
  return marks
}
