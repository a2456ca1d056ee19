// Code within a line of Markdown: between runs of backticks of the same length.

export interface Span {
  start: number
  end: number
}

export function codeSpans(text: string): Span[] {
  return [...text.matchAll(/(?<!`)(?<ticks>`+)(?!`)[\s\S]*?(?<!`)\k<ticks>(?!`)/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** Whether a place lies within one of the spans; asked of places in their order. */
export function spansIn(spans: Span[]): (place: number) => boolean {
  let next = 0
  return (place) => {
    while (next < spans.length && spans[next]!.end <= place) next++
    return next < spans.length && spans[next]!.start < place
  }
}
