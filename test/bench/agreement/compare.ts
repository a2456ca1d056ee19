// How closely two search indexes with the same units agree: the same queries through the complete search on each.

import type { SearchIndex } from '../../../services/index/search-index.ts'
import type { QuestionVectors } from '../../../services/search/meaning.ts'
import { createSearch } from '../../../services/search/search.ts'
import { encodeVocabulary } from '../../../services/search/vocabulary.ts'
import type { Store } from '../../../services/store/store.ts'
import { noVectors } from '../../no-vectors.ts'
import { unfiltered } from '../../unfiltered.ts'
import type { Query } from '../quality/engine.ts'
import { mean } from '../statistics.ts'

/** Shares from 0 to 1. */
export interface Agreement {
  queries: number
  /** The expected page comes first, on each. */
  hits: [number, number]
  /** Both return the same first result, or none. */
  sameFirst: number
  /** Of the first ten results of one, the share that is also among the first ten of the other. */
  overlap: number
}

/** The part of the store that a search needs, for a project whose index has one current version of each page. */
export async function toStore(index: SearchIndex, project: string, version = 1) {
  const terms = encodeVocabulary(await index.vocabulary(project))
  return {
    vocabulary: { version: async () => 1, read: async () => ({ version: 1, terms }) },
    pages: {
      current: async (pages: string[]) => new Map(pages.map((page) => [page, version])),
      content: async () => null,
    },
  } as unknown as Store
}

/** The searches of such a project. */
export async function openSearch(
  index: SearchIndex,
  project: string,
  questionVectors: QuestionVectors = noVectors,
) {
  const { search } = createSearch({ store: await toStore(index, project), index, questionVectors })
  /** Addresses of the first results, best first. */
  return async (q: string, limit = 10): Promise<string[]> => {
    const { results } = await search({ project, q, limit, ...unfiltered })
    return results.map(({ url }) => url)
  }
}

export type Search = Awaited<ReturnType<typeof openSearch>>

export async function compare(
  [one, other]: [Search, Search],
  queries: Query[],
  toPage: (url: string) => string,
): Promise<Agreement> {
  const compared = []
  for (const { text, pages } of queries) {
    const [first, second] = await Promise.all([one(text), other(text)])
    const isHit = (found: string[]) => (found[0] !== undefined && pages.has(toPage(found[0])) ? 1 : 0)
    const most = Math.max(first.length, second.length)
    compared.push({
      hits: [isHit(first), isHit(second)],
      same: first[0] === second[0] ? 1 : 0,
      overlap: most === 0 ? 1 : first.filter((url) => second.includes(url)).length / most,
    })
  }
  return {
    queries: compared.length,
    hits: [mean(compared.map(({ hits }) => hits[0]!)), mean(compared.map(({ hits }) => hits[1]!))],
    sameFirst: mean(compared.map(({ same }) => same)),
    overlap: mean(compared.map(({ overlap }) => overlap)),
  }
}
