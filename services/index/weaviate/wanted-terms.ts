// Counts the terms of a query in analyzed text, without making a string of each of the text's own terms.

const space = 32

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
  const likely = new Set(terms.map((term) => shape(term.charCodeAt(0), term.length)))

  return (text) => {
    const counts = new Uint16Array(terms.length)
    let length = 0
    for (let start = 0; start < text.length; ) {
      let end = start
      while (end < text.length && text.charCodeAt(end) !== space) end++
      if (end > start) {
        length += 1
        if (likely.has(shape(text.charCodeAt(start), end - start))) {
          const place = places.get(text.slice(start, end))
          if (place !== undefined) counts[place]!++
        }
      }
      start = end + 1
    }
    return { counts, length }
  }
}

const shape = (first: number, length: number) => (Math.min(length, 0x7fff) << 16) | first
