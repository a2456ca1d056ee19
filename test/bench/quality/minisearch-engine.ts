// MiniSearch over the same sections, every setting that its manual offers for relevance open to tuning.
import MiniSearch from 'minisearch'
import type { ReferenceEngine } from './engine.ts'

export const miniSearchEngine: ReferenceEngine = {
  name: 'MiniSearch',
  choices: {
    title: [2, 1, 4, 8],
    heading: [4, 1, 2, 8, 16],
    path: [1, 0.5, 2],
    fuzzy: [0.2, 0, 0.1, 0.3],
    prefix: ['last', 'none', 'all'],
    combine: ['OR', 'AND'],
    fuzzyWeight: [0.45, 0.1, 0.2, 0.7],
    prefixWeight: [0.375, 0.1, 0.2, 0.7],
    k: [1.2, 0.6, 2],
    b: [0.7, 0.3, 0.9],
    d: [0.5, 0, 1],
  },
  open(sections) {
    const index = new MiniSearch({ fields: ['title', 'heading', 'path', 'text'], idField: 'id' })
    index.addAll(sections.map((section, id) => ({ ...section, id })))
    return {
      search(query, settings) {
        const { prefix, combine } = settings
        const number = (name: string) => Number(settings[name])
        const hits = index.search(query, {
          boost: { title: number('title'), heading: number('heading'), path: number('path') },
          fuzzy: number('fuzzy') === 0 ? false : number('fuzzy'),
          prefix: (_term, at, terms) => prefix === 'all' || (prefix === 'last' && at === terms.length - 1),
          weights: { fuzzy: number('fuzzyWeight'), prefix: number('prefixWeight') },
          bm25: { k: number('k'), b: number('b'), d: number('d') },
          combineWith: combine === 'AND' ? 'AND' : 'OR',
        })
        return hits.slice(0, 50).map((hit) => sections[hit.id]!)
      },
      close() {},
    }
  },
}
