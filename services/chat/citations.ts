// The citation marks of an answer: `[1]`, `[2, 3]`, and what models make of them (`[^1]`, `【1】`, `[1](address)`).

export interface CitationMark {
  /** As they stand there: of passages or invented. */
  labels: number[]
  /** Where the mark stands, in UTF-16 units, with the white space before it. */
  start: number
  end: number
}

const mark =
  /[ \t]*(?:\[\^?(?<labels>\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?|【(?<wide>\d{1,3})(?:†[^】\n]*)?】)/gu

/**
 * The marks in a stretch of prose that starts at `offset`. `items[0]` is no citation: a number that stands close to a
 * word counts only if it is a label that there is.
 */
export function readCitations(
  text: string,
  offset: number,
  isLabel: (label: number) => boolean,
): CitationMark[] {
  return [...text.matchAll(mark)].flatMap((match) => {
    const labels = (match.groups!.labels ?? match.groups!.wide!).split(/[,;]/u).map(Number)
    const isClose = /[\p{L}\p{N}_]/u.test(text[match.index - 1] ?? '') && /^\[/u.test(match[0])
    if (isClose && !labels.every(isLabel)) return []
    const start = offset + match.index
    return [{ labels, start, end: start + match[0].length }]
  })
}
