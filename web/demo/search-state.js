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

/** Results that are shown at first, and after scrolling to the last of them: the most that a search returns. */
export const limits = { first: 30, max: 50 }

/**
 * Groups of `{page, title, isFile, results}` in the order of each page's best result. A result keeps its rank as
 * `position`, from 1 or after `shown` others.
 */
export function groupByPage(results, shown = 0) {
  const groups = new Map()
  for (const [index, result] of results.entries()) {
    const [page] = result.url.split('#')
    const isFile = result.source_type === 'file'
    if (!groups.has(page)) groups.set(page, { page, title: result.page_title, isFile, results: [] })
    groups.get(page).results.push({ ...result, position: shown + index + 1 })
  }
  return [...groups.values()]
}

/** Appends the results that are not shown yet, so that those shown keep their places. */
export function appendResults(groups, results) {
  const shown = new Set(groups.flatMap((group) => group.results.map(({ url }) => url)))
  const more = results.filter(({ url }) => !shown.has(url)).slice(0, limits.max - countResults(groups))
  return [...groups, ...groupByPage(more, countResults(groups))]
}

/** `30 best results on 12 pages` where there may be more than are shown. */
export function countSentence(groups) {
  const results = countResults(groups)
  if (results === 0) return ''
  const isLimit = results === limits.first || results === limits.max
  const pages = new Set(groups.map(({ page }) => page)).size
  return `${results} ${isLimit ? 'best ' : ''}${results === 1 ? 'result' : 'results'} on ${pages} ${pages === 1 ? 'page' : 'pages'}`
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
