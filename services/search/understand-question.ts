// Understands a question: its words in any form, and the words that a manual may use instead. What the index is asked
// for is chosen by how few units hold it, for a question is full of words that tell no page from another.
import { stem } from '../index/stem.ts'
import { synonymsOf } from './synonyms.ts'
import { type Group, idf, type Typing, type Understood, understand } from './understand.ts'
import { countOf, type Vocabulary } from './vocabulary.ts'

/** What a word that may stand for the reader's is worth beside it. */
const synonymWorth = 0.3
/** Places of terms that are read, as a share of the project's units: common words are left out beyond. */
const mostRead = 0.2
/** As many are read of a small project. */
const alwaysRead = 1_000

/**
 * `how do I kill a job` → kill (kill, and terminate, stop, cancel … at .3), job (job, task at .3); terms: the rarer of
 * kill and job first, then the rarest of the others, as long as their lists are short.
 */
export function understandQuestion(q: string, vocabulary: Vocabulary, typing: Typing): Understood {
  const { groups, phrases } = understand(q, vocabulary, typing)
  const telling = groups.filter(({ isStop }) => !isStop)
  const widened = (telling.length > 0 ? telling : groups).map((group) => widen(group, vocabulary))
  return { groups: widened, phrases, terms: chooseTerms(widened, vocabulary) }
}

/** In all its forms, and with its synonyms; a word of the table is no slip of the pen. */
function widen(group: Group, vocabulary: Vocabulary): Group {
  if (group.isPrefix) return group
  const root = stem(group.word)
  const synonyms = synonymsOf(root)
  const isKnown = countOf(vocabulary, root) > 0
  const meant = isKnown || synonyms.size > 0 ? [[root, 1] as const] : group.alternatives
  const alternatives = new Map(meant)
  for (const synonym of synonyms) if (!alternatives.has(synonym)) alternatives.set(synonym, synonymWorth)
  return { ...group, alternatives, rarity: rarityOf(alternatives, vocabulary) }
}

/** Of the whole group: a word for which many others stand tells less. */
function rarityOf(alternatives: Group['alternatives'], vocabulary: Vocabulary): number {
  let held = 0
  for (const [term, worth] of alternatives) held += worth * countOf(vocabulary, term)
  return idf(vocabulary.units, Math.min(vocabulary.units, held))
}

/** The reader's own words first, then the others; the rarest first among each. */
function chooseTerms(groups: Group[], vocabulary: Vocabulary): string[] {
  const worths = new Map<string, number>()
  for (const { alternatives } of groups) {
    for (const [term, worth] of alternatives) worths.set(term, Math.max(worth, worths.get(term) ?? 0))
  }
  const terms = [...worths]
    .map(([term, worth]) => ({ term, isOwn: worth > synonymWorth, count: countOf(vocabulary, term) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || a.count - b.count)
  const budget = Math.max(alwaysRead, mostRead * vocabulary.units)
  const chosen: string[] = []
  let read = 0
  for (const { term, count } of terms) {
    if (chosen.length > 0 && read + count > budget) continue
    read += count
    chosen.push(term)
  }
  return chosen
}
