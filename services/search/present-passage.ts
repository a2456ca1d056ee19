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
    coverage: coverageOf(groups, new Set([...title, ...heading, ...path, ...body])),
    similarity,
  }
}

/** Rare words weigh more; words without a subject count only where there are no others. */
function coverageOf(groups: Group[], terms: Set<number>): number {
  const telling = groups.filter(({ isStop }) => !isStop)
  let max = 0
  let held = 0
  for (const group of telling.length > 0 ? telling : groups) {
    const weight = group.idf * group.weight
    max += weight
    held += weight * heldWeight(group, terms)
  }
  return max === 0 ? 0 : held / max
}

/** Another form of the word is the word; a correction of it is worth less. */
function heldWeight({ word, alternatives }: Group, terms: Set<number>): number {
  const holds = (term: string) => terms.has(hashTerm(term))
  if (holds(word) || holds(stem(word))) return 1
  let best = 0
  for (const [term, weight] of alternatives) if (weight > best && holds(term)) best = weight
  return best
}
