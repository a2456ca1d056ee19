// A posting: the counts of a term in a unit, packed into 32 bits, and its score.
//
//   bits 31–8 row of the unit in its segment · 7 in the title · 6–5 count in headings · 4–0 count in the body

const maxInBody = 31
const maxInHeading = 3

const inTitle = 1 << 7
const oneHeading = 1 << 5
const oneBody = 1

/** Each adds an occurrence to the counts of a term, which begin at 0. */
export const countTitle = (counts: number): number => counts | inTitle
export const countHeading = (counts: number): number =>
  ((counts >> 5) & maxInHeading) < maxInHeading ? counts + oneHeading : counts
export const countBody = (counts: number): number =>
  (counts & maxInBody) < maxInBody ? counts + oneBody : counts

export const isInHeading = (posting: number): boolean => ((posting >> 5) & maxInHeading) > 0

/** Body lengths on a logarithmic scale: 0 for empty, 15 for 1,024 or more terms. */
export const lengthSteps = 16
export function lengthStep(terms: number): number {
  return Math.min(lengthSteps - 1, Math.round(1.5 * Math.log2(1 + terms)))
}
const stepLength = (step: number): number => 2 ** (step / 1.5) - 1

/** Saturation and length normalisation of BM25 (Robertson and Zaragoza, 2009, section 3.4). */
const k1 = 1.2
const b = 0.75

/** Weights of one match in each field. */
const weights = { title: 1, heading: 2, body: 1 }

/**
 * BM25F scores without idf, by `lengthStep << 8 | counts`. Sums the weighted counts of the fields before saturation, so
 * that a term in title and body counts once. `averageStep`: mean length step of the index.
 *
 * With a body of average length, 1 match in the title, 0 in headings and 2 in the body: 3 / (3 + 1.2) = 0.71.
 */
export function scoreTable(averageStep: number): Float32Array {
  const average = Math.max(1, stepLength(averageStep))
  const table = new Float32Array(lengthSteps << 8)
  for (let step = 0; step < lengthSteps; step++) {
    const norm = 1 - b + (b * stepLength(step)) / average
    for (let counts = 0; counts < 256; counts++) {
      const weighted =
        (counts & inTitle ? weights.title : 0) +
        ((counts >> 5) & maxInHeading) * weights.heading +
        ((counts & maxInBody) * weights.body) / norm
      table[(step << 8) | counts] = weighted / (weighted + k1)
    }
  }
  return table
}

/**
 * Adds the terms of a field to the postings of a row, by term. Returns the number of terms. Rows must come in order.
 *
 *   row 0 "a b a", row 1 "b" → a: 0 twice; b: 0, 1
 */
export function countTerms(
  lists: Map<string, number[]>,
  row: number,
  field: string,
  add: (counts: number) => number,
): number {
  if (field === '') return 0
  const terms = field.split(' ')
  const posting = row << 8
  for (const term of terms) {
    const list = lists.get(term)
    const last = list === undefined ? -1 : list[list.length - 1]!
    if (list === undefined) lists.set(term, [posting | add(0)])
    else if (last < posting) list.push(posting | add(0))
    else list[list.length - 1] = posting | add(last & 255)
  }
  return terms.length
}
