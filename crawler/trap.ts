// Crawl traps: addresses that a site makes without end.

export interface TrapDetector {
  /** Whether the address looks like one of an endless series. The same calls in the same order give the same answers. */
  isTrap(url: string, depth: number): boolean
  /** Notes whether an address that was asked for turned out to be a page. */
  note(isPage: boolean): void
  /** Whether so many addresses of the site were no pages that there may be no end of them. */
  isBarren(): boolean
}

const maxDepth = 100
const maxSegments = 25
const maxParameters = 8
const maxRepeats = 3
/** Different query strings that one path may have. */
const maxQueries = 500
/** Different dates that one calendar may have: some fifty years of months. */
const maxDates = 600
/** Addresses that may turn out to be no pages, and more of them for each that is one. */
const maxBarren = 5_000
const maxBarrenPerPage = 10
/** Series that are counted; later ones have no limit. */
const maxSeries = 10_000

const date = /(?:19|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?(?!\d)/g
const calendarWord = /calendar|events?\b|agenda|schedule|archive|month|week|\bday\b|\bdate\b/i
const session =
  /(?:^|[;&?/])(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|cfid|cftoken)=|\/\([a-z]\([a-z0-9]{20,}\)\)\//i

export function createTrapDetector(): TrapDetector {
  const queries = createCensus(maxQueries)
  const dates = createCensus(maxDates)
  let pages = 0
  let barren = 0
  return {
    note(isPage) {
      if (isPage) pages += 1
      else barren += 1
    },
    isBarren: () => barren > Math.max(maxBarren, maxBarrenPerPage * pages),
    isTrap(text, depth) {
      const { pathname, search, searchParams } = new URL(text)
      const segments = pathname.split('/').filter((segment) => segment !== '')
      if (depth > maxDepth || segments.length > maxSegments || repeats(segments)) return true
      if (session.test(pathname + search)) return true
      if (search !== '' && (searchParams.size > maxParameters || queries.isOver(pathname, search)))
        return true
      const target = pathname + search
      const series = target.replace(date, '#')
      return series !== target && calendarWord.test(target) && dates.isOver(series, target)
    },
  }
}

/** Counts the different members of each series, up to a limit, in bounded memory. */
function createCensus(limit: number) {
  const series = new Map<string, Set<string>>()
  return {
    /** Whether `member` is one more than the series may have; those that came before it stay in. */
    isOver(name: string, member: string): boolean {
      let members = series.get(name)
      if (members === undefined) {
        if (series.size >= maxSeries) return false
        members = new Set()
        series.set(name, members)
      }
      if (members.has(member)) return false
      if (members.size >= limit) return true
      members.add(member)
      return false
    },
  }
}

/**
 * Whether a run of segments follows itself three times: `/x/x/x`, `/a/b/a/b/a/b`. With runs of two, each segment is held
 * against the one two before it; four equal ones in a row make three runs.
 */
function repeats(segments: string[]): boolean {
  for (let length = 1; length * maxRepeats <= segments.length; length++) {
    let same = 0
    for (let at = length; at < segments.length; at++) {
      same = segments[at] === segments[at - length] ? same + 1 : 0
      if (same >= length * (maxRepeats - 1)) return true
    }
  }
  return false
}
