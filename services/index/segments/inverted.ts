// Inverts the terms of new units in memory: postings are noted in the order of the text, then sorted by term at the end.
import { packTerms } from './tables.ts'

const firstRoom = 1 << 14

/**
 * `count` notes each term of a field at a unit and answers how many there are; units come in order of their place.
 *
 * Unit 0 "a b a", unit 1 "b": notes a@0 ×2, b@0, b@1 · terms a, b · postings a@0 ×2 | b@0, b@1 · starts 0, 1, 3.
 */
export function createInverted() {
  const ids = new Map<string, number>()
  /** By term: its latest note, and how many it has. */
  const latest: number[] = []
  const sizes: number[] = []
  let notes = 0
  let termOf = new Uint32Array(firstRoom)
  let postingOf = new Uint32Array(firstRoom)

  function note(id: number, posting: number) {
    if (notes === termOf.length) {
      termOf = grown(termOf)
      postingOf = grown(postingOf)
    }
    termOf[notes] = id
    postingOf[notes] = posting
    latest[id] = notes++
    sizes[id] = (sizes[id] ?? 0) + 1
  }

  return {
    count(place: number, field: string, add: (counts: number) => number): number {
      if (field === '') return 0
      let terms = 0
      for (let start = 0; start <= field.length; terms++) {
        let end = field.indexOf(' ', start)
        if (end < 0) end = field.length
        const term = field.slice(start, end)
        start = end + 1
        let id = ids.get(term)
        if (id === undefined) {
          id = ids.size
          ids.set(term, id)
          note(id, ((place << 8) | add(0)) >>> 0)
          continue
        }
        const last = latest[id]!
        const posting = postingOf[last]!
        if (posting >>> 8 === place) postingOf[last] = ((place << 8) | add(posting & 255)) >>> 0
        else note(id, ((place << 8) | add(0)) >>> 0)
      }
      return terms
    },

    /** Terms in the order of their UTF-16 code units, their postings by place. */
    finish() {
      const terms = [...ids.keys()].sort()
      const postingStarts = new Uint32Array(terms.length + 1)
      const next = new Uint32Array(terms.length)
      for (const [at, term] of terms.entries()) {
        const id = ids.get(term)!
        next[id] = postingStarts[at]!
        postingStarts[at + 1] = postingStarts[at]! + sizes[id]!
      }
      const postings = new Uint32Array(notes)
      for (let at = 0; at < notes; at++) postings[next[termOf[at]!]!++] = postingOf[at]!
      return { ...packTerms(terms), postingStarts, postings }
    },
  }
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * array.length)
  larger.set(array)
  return larger
}
