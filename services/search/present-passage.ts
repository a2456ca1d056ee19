// From ranked units to the passages that an answer is made from (services/search/passage.ts).
import { createHash } from 'node:crypto'
import { stem } from '../index/stem.ts'
import { hashTerm } from '../index/term-hash.ts'
import { termsOfUnit } from '../index/unit-terms.ts'
import type { Passage } from './passage.ts'
import { toPassageText } from './passage-text.ts'
import type { Ranked } from './rank.ts'
import type { Group, ParsedQuery } from './understand.ts'

export function presentPassage(
  { hit: { unit }, score, similarity }: Ranked & { similarity: number | null },
  { groups }: ParsedQuery,
): Passage {
  const { title, heading, path, body } = termsOfUnit(unit)
  const telling = tellingOf(groups)
  const held = heldWeights(telling, new Set([...title, ...heading, ...path, ...body]))
  return {
    unit: unit.id,
    page: unit.page,
    url: unit.anchor === null ? unit.url : `${unit.url}#${unit.anchor}`,
    pageTitle: unit.pageTitle,
    title: unit.heading || unit.pageTitle,
    path: unit.path,
    text: toPassageText(unit),
    contentHash: createHash('sha256').update(unit.text).digest('hex'),
    score,
    coverage: coverageOf(telling, held),
    lacks: telling.filter((_, at) => held[at] === 0).map(({ word }) => word),
    similarity,
  }
}

/** Words without a subject count only where there are no others. */
export function tellingOf(groups: Group[]): Group[] {
  const telling = groups.filter(({ isStop }) => !isStop)
  return telling.length > 0 ? telling : groups
}

/** Rare words weigh more. */
function coverageOf(groups: Group[], held: number[]): number {
  let max = 0
  let sum = 0
  for (const [at, { idf, weight }] of groups.entries()) {
    max += idf * weight
    sum += idf * weight * held[at]!
  }
  return max === 0 ? 0 : sum / max
}

/** Another form of the word is the word; a correction of it is worth less. */
function heldWeights(groups: Group[], terms: Set<number>): number[] {
  const holds = (term: string) => terms.has(hashTerm(term))
  return groups.map(({ word, alternatives }) => {
    if (holds(word) || holds(stem(word))) return 1
    let best = 0
    for (const [term, weight] of alternatives) if (weight > best && holds(term)) best = weight
    return best
  })
}
