// Counts the terms of a query in analyzed text, without making a string of each of the text's own terms.

const space = 32

/** Of the last text that was counted: the next one is counted into the same array. */
export interface Counted {
  /** By place of the term in the query. */
  counts: Uint16Array
  /** Terms in the text. */
  length: number
}

/**
 * `terms`: all different. A term of the text is looked up only where one of the query has its first letter and its length.
 *
 *   terms "tree", "walk" · text "a tree to take" · "a" and "to" are too short, "take" is looked up for "tree" → 1, 0 of 4
 */
export function countWanted(terms: string[]): (text: string) => Counted {
  const places = new Map(terms.map((term, at) => [term, at]))
  const likely = new Uint8Array(shapes)
  for (const term of terms) likely[shape(term.charCodeAt(0), term.length)] = 1
  const counted = { counts: new Uint16Array(terms.length), length: 0 }

  return (text) => {
    counted.counts.fill(0)
    counted.length = 0
    let start = 0
    for (let at = 0; at <= text.length; at++) {
      if (at < text.length && text.charCodeAt(at) !== space) continue
      if (at > start) {
        counted.length += 1
        if (likely[shape(text.charCodeAt(start), at - start)] === 1) {
          const place = places.get(text.slice(start, at))
          if (place !== undefined) counted.counts[place]! += 1
        }
      }
      start = at + 1
    }
    return counted
  }
}

const shapes = 1 << 13

/** Near enough: 8 bits of the first letter, 5 of the length. */
const shape = (first: number, length: number) => ((first & 0xff) << 5) | (length & 0x1f)
