// Detects crawl traps: endless series of addresses that a site generates.

export type TrapDetector = ReturnType<typeof createTrapDetector>

const maxDepth = 100
const maxSegments = 25
const maxParameters = 8
/** Maximum different query strings of one path. */
const maxQueries = 500
/** Maximum different dates of one calendar: some fifty years of months. */
const maxDates = 600
/** Maximum addresses that are not pages, and additional ones per page. */
const maxBarren = 5_000
const maxBarrenPerPage = 10
/** Maximum series that are counted. Later ones have no limit. */
const maxSeries = 10_000

/** A run of segments that occurs three times in a row: `/x/x/x`, `/a/b/a/b/a/b`. */
const repeats = /\/([^/]+(?:\/[^/]+)*?)\/\1\/\1(?=\/)/

const date = /(?:19|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?(?!\d)/g
const calendarWord = /calendar|events?\b|agenda|schedule|archive|month|week|\bday\b|\bdate\b/i
const session =
  /(?:^|[;&?/])(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|cfid|cftoken)=|\/\([a-z]\([a-z0-9]{20,}\)\)\//i

export function createTrapDetector() {
  const queries = createCensus(maxQueries)
  const dates = createCensus(maxDates)
  let pages = 0
  let barren = 0
  return {
    /** Counts whether a requested address was a page. */
    note(isPage: boolean) {
      if (isPage) pages += 1
      else barren += 1
    },
    /** Whether so many addresses of the site were not pages that they may be endless. */
    isBarren: () => barren > Math.max(maxBarren, maxBarrenPerPage * pages),
    /** Whether the address looks like one of an endless series. Deterministic for the same calls in the same order. */
    isTrap(text: string, depth: number): boolean {
      const { pathname, search, searchParams } = new URL(text)
      const segments = pathname.split('/').filter((segment) => segment !== '')
      if (depth > maxDepth || segments.length > maxSegments) return true
      if (repeats.test(`/${segments.join('/')}/`)) return true
      if (session.test(pathname + search)) return true
      if (search !== '' && (searchParams.size > maxParameters || queries.isOver(pathname, search)))
        return true
      const target = pathname + search
      const series = target.replace(date, '#')
      return series !== target && calendarWord.test(target) && dates.isOver(series, target)
    },
  }
}

/** Counts different members of each series up to a limit, in bounded memory. */
function createCensus(limit: number) {
  const series = new Map<string, Set<string>>()
  return {
    /** Whether `member` exceeds the limit of the series. Earlier members stay within it. */
    isOver(name: string, member: string): boolean {
      const members = series.get(name) ?? new Set()
      if (members.size === 0 && series.size >= maxSeries) return false
      series.set(name, members)
      if (members.size >= limit) return !members.has(member)
      members.add(member)
      return false
    },
  }
}
