// Terms that are a few typing errors away: letters left out, added, changed, or two neighbours swapped.
//
// The sorted terms are walked as if they were a trie: neighbours share the rows of the distance table (optimal string
// alignment; Wagner and Fischer 1974, Lowrance and Wagner 1975) for the letters that they share, and when a row holds
// nothing within the limit, a galloping search skips all terms that begin with the letters so far.
//
//   word "cat", limit 1       c  a  t
//                          0  1  2  3
//   terms: cart   c        1  0  1  2
//                 ca       2  1  0  1
//                 car      3  2  1  1
//                 cart     4  3  2  1   ← within 1: found
//          dog    d        1  1  2  3   (kept: 1)
//                 do       2  2  2  3   all above 1: every term that begins with "do" is skipped
export interface Near {
  place: number
  errors: number
}

/** Longer words are not corrected. */
const longest = 40

/**
 * Terms between `from` and `to` at most `limit` errors from `word`; with `asPrefix`, terms of which some beginning is.
 */
export function findNear(
  terms: string[],
  word: string,
  limit: number,
  { asPrefix = false, from = 0, to = terms.length } = {},
): Near[] {
  const width = word.length + 1
  if (word.length > longest) return []
  const depthLimit = word.length + limit
  const rows = new Uint8Array((depthLimit + 2) * width)
  for (let column = 0; column < width; column++) rows[column] = column
  const found: Near[] = []
  let before = ''
  let depth = 0

  for (let place = from; place < to; ) {
    const term = terms[place]!
    if (term.length < word.length - limit || (!asPrefix && term.length > depthLimit)) {
      place++
      continue
    }
    depth = Math.min(depth, sharedLength(before, term, depth))
    before = term
    const max = Math.min(term.length, depthLimit)
    let alive = true
    while (depth < max && alive) alive = fillRow(rows, ++depth, term, word) <= limit
    const begun = asPrefix ? minOfPrefixes(rows, depth, width) : limit + 1
    if (!alive && begun > limit) {
      place = skip(terms, term.slice(0, depth), place, to)
      depth--
      continue
    }
    const whole = alive && term.length === depth ? rows[depth * width + word.length]! : limit + 1
    const errors = Math.min(begun, whole)
    if (errors <= limit) found.push({ place, errors })
    place++
  }
  return found
}

/** Fills the row for the first `depth` letters of the term; answers its smallest number. */
function fillRow(rows: Uint8Array, depth: number, term: string, word: string): number {
  const width = word.length + 1
  const row = depth * width
  const above = row - width
  const letter = term.charCodeAt(depth - 1)
  const letterBefore = depth > 1 ? term.charCodeAt(depth - 2) : -1
  let min = depth
  rows[row] = depth
  for (let column = 1; column < width; column++) {
    const typed = word.charCodeAt(column - 1)
    let value = rows[above + column - 1]! + (typed === letter ? 0 : 1)
    value = Math.min(value, rows[above + column]! + 1, rows[row + column - 1]! + 1)
    if (column > 1 && typed === letterBefore && word.charCodeAt(column - 2) === letter) {
      value = Math.min(value, rows[above - width + column - 2]! + 1)
    }
    rows[row + column] = value
    if (value < min) min = value
  }
  return min
}

function minOfPrefixes(rows: Uint8Array, depth: number, width: number): number {
  let min = 255
  for (let at = 0; at <= depth; at++) min = Math.min(min, rows[at * width + width - 1]!)
  return min
}

function sharedLength(a: string, b: string, max: number): number {
  let shared = 0
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  return shared
}

/** Place of the first term from `place` on that does not begin with `prefix`: in growing steps, then by halves. */
function skip(terms: string[], prefix: string, place: number, to: number): number {
  let step = 1
  while (place + step < to && terms[place + step]!.startsWith(prefix)) step *= 2
  let low = place + (step >> 1)
  let high = Math.min(to, place + step)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (terms[middle]!.startsWith(prefix)) low = middle
    else high = middle
  }
  return high
}
