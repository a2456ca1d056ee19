// Counts the terms of a query in the analyzed text of a unit, without making a string of each of the text's own terms.

const space = 32
const newline = 10

/** Of the last text that was counted; the next one is counted into the same arrays. */
export interface Counted {
  /** By line of the text: by place of the term in the query, how often it stands there. */
  counts: Uint16Array[]
  /** By line: its terms. */
  lengths: number[]
}

/**
 * `terms`: all different. A term of the text is looked up only where one of the query has its first letter and its length. Terms of
 * the text are parted by one space or newline, and it has `lines` lines at most.
 *
 *   terms "tree", "walk" · text "a tree to take" · "a" and "to" are too short, "take" is looked up for "tree" → 1, 0 of 4
 */
export function countWanted(terms: string[], lines: number): (text: string) => Counted {
  const places = new Map(terms.map((term, at) => [term, at]))
  const likely = new Uint8Array(shapes)
  for (const term of terms) likely[shape(term.charCodeAt(0), term.length)] = 1
  const counts = Array.from({ length: lines }, () => new Uint16Array(terms.length))
  const lengths = counts.map(() => 0)

  return (text) => {
    for (const line of counts) line.fill(0)
    lengths.fill(0)
    let line = 0
    let start = 0
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? newline : text.charCodeAt(at)
      if (code > space) continue
      if (code !== space && code !== newline) continue
      if (at > start) {
        lengths[line]! += 1
        if (likely[shape(text.charCodeAt(start), at - start)] === 1) {
          const place = places.get(text.slice(start, at))
          if (place !== undefined) counts[line]![place]! += 1
        }
      }
      start = at + 1
      if (code === newline) line += 1
    }
    return { counts, lengths }
  }
}

const shapes = 1 << 13

/** Near enough: 8 bits of the first letter, 5 of the length. */
const shape = (first: number, length: number) => ((first & 0xff) << 5) | (length & 0x1f)
