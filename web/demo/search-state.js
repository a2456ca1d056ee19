// What the page knows, and the pure rules of how it moves: grouping by page and the choice among results.

export function createState(render) {
  const state = {
    query: '',
    filter: '',
    /** `idle` (no query), `searching`, `done` or `failed`. */
    phase: 'idle',
    /** In the order shown: see groupByPage. */
    groups: [],
    /** The query that the results answer. */
    answered: '',
    /** Number of the chosen result in the order shown; -1: none. */
    active: -1,
    failure: null,
    project: null,
  }
  return {
    state,
    change(patch) {
      Object.assign(state, patch)
      render(state)
    },
  }
}

/**
 * Groups of `{page, title, results}` in the order of each page's best result. A result keeps its rank, from 1, as
 * `position`.
 */
export function groupByPage(results) {
  const groups = new Map()
  for (const [index, result] of results.entries()) {
    const [page] = result.url.split('#')
    if (!groups.has(page)) groups.set(page, { page, title: result.page_title, results: [] })
    groups.get(page).results.push({ ...result, position: index + 1 })
  }
  return [...groups.values()]
}

export function countResults(groups) {
  return groups.reduce((sum, group) => sum + group.results.length, 0)
}

/** What a key makes of the choice among `count` results; null where the key is not about it. */
export function moveChoice(key, active, count) {
  if (count === 0) return null
  const moves = {
    ArrowDown: () => (active + 1 >= count ? 0 : active + 1),
    ArrowUp: () => (active <= 0 ? count - 1 : active - 1),
  }
  const jumps = { Home: () => 0, End: () => count - 1 }
  const move = moves[key] ?? (active >= 0 ? jumps[key] : undefined)
  return move ? move() : null
}
