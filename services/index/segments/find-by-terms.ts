// Finds units by terms: BM25F over postings, term at a time (Zobel and Moffat, "Inverted files for text search
// engines", 2006, section 4). Adds up the scores of each word's lists, then selects the best units.
//
//   terms "copy", "table" · lists copy → 3, 7  table → 7, 9 · scores 3: 1.9, 7: 1.9 + 0.6, 9: 0.6 · best: 7, 3, 9
import type { TermQuery, UnitFilter } from '../search-index.ts'
import { scoreTable } from './posting.ts'
import type { Segment, UnitRow } from './segment.ts'

let scores = new Float32Array(0)
/** Best score per unit for the current word; all 0 between words. */
let best = new Float32Array(0)

export function findByTerms(segments: Segment[], query: TermQuery): ScoredRow[] {
  const units = segments.reduce((sum, segment) => sum + segment.rows, 0)
  const averageStep = segments.reduce((sum, { averageStep: step, rows }) => sum + (step * rows) / units, 0)
  const table = scoreTable(averageStep)
  const top = createTop<ScoredRow>(query.limit)

  for (const segment of segments) {
    const passes = toPasses(segment, query.filter)
    if (passes === null) continue
    if (scores.length < segment.rows) {
      scores = new Float32Array(segment.rows)
      best = new Float32Array(segment.rows)
    }
    let isFound = false
    for (const word of query.words) {
      const lists = word
        .map(({ term, weight }) => ({ postings: segment.postings(term), weight }))
        .filter(({ postings }) => postings.length > 0)
      if (lists.length === 1) addList(lists[0]!, segment.lengthSteps, table)
      else addBest(lists, segment.lengthSteps, table)
      isFound ||= lists.length > 0
    }
    if (!isFound) continue
    const deleted = segment.deleted()
    for (let row = 0; row < segment.rows; row++) {
      const score = scores[row]!
      if (score > top.least() && !deleted?.[row] && passes(row)) top.add({ segment, row, score })
    }
    scores.fill(0, 0, segment.rows)
  }
  return top.best()
}

interface List {
  postings: Uint32Array
  weight: number
}

function addList({ postings, weight }: List, steps: Uint8Array, table: Float32Array) {
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]!
    const row = posting >>> 8
    scores[row]! += weight * table[(steps[row]! << 8) | (posting & 255)]!
  }
}

/** Adds to each unit its best score among the lists. */
function addBest(lists: List[], steps: Uint8Array, table: Float32Array) {
  for (const { postings, weight } of lists) {
    for (let at = 0; at < postings.length; at++) {
      const posting = postings[at]!
      const row = posting >>> 8
      const score = weight * table[(steps[row]! << 8) | (posting & 255)]!
      const more = score - best[row]!
      if (more <= 0) continue
      scores[row]! += more
      best[row] = score
    }
  }
  for (const { postings } of lists) for (let at = 0; at < postings.length; at++) best[postings[at]! >>> 8] = 0
}

/** Returns a predicate for rows that match the filter; null if no row of the segment can match. */
export function toPasses(
  { facets, facetColumn }: Segment,
  { docVersion, language, sourceTypes }: UnitFilter = {},
): ((row: number) => boolean) | null {
  const allowed = facets.map(
    (unit) =>
      (docVersion === undefined || unit.docVersion === docVersion) &&
      (language === undefined || unit.language === language) &&
      (sourceTypes === undefined || sourceTypes.includes(unit.sourceType)),
  )
  return allowed.includes(true) ? (row) => allowed[facetColumn[row]!]! : null
}

export interface ScoredRow extends UnitRow {
  score: number
}

/** Collects the best `limit` entries. `least`: the score that an entry must exceed. */
export function createTop<Entry extends ScoredRow>(limit: number) {
  const entries: Entry[] = []
  let least = 0

  /** Best first. Entries with equal scores are in the order of their segment. */
  function best(): Entry[] {
    entries.sort((a, b) => b.score - a.score || a.row - b.row)
    if (entries.length > limit) entries.length = limit
    return entries
  }

  return {
    least: () => least,
    add(entry: Entry) {
      // Sorts once for every `limit` additions.
      if (entries.push(entry) < 2 * limit) return
      least = best()[limit - 1]!.score
    },
    best,
  }
}
