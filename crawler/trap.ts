// Crawl traps: addresses that a site makes without end (decisions.md section 5, skip reason `trap`).

export interface TrapDetector {
  /** Whether the address looks like one of an endless series. The same calls in the same order give the same answers. */
  isTrap(url: string, depth: number): boolean
  /** Notes whether an address that was asked for turned out to be a page. */
  note(isPage: boolean): void
  /** Whether the site lists so many addresses that are no pages that there may be no end of them. */
  isBarren(): boolean
}

const deepest = 100
const mostSegments = 25
const mostParameters = 8
const mostRepeats = 3
/** Different query strings that one path may have. */
const mostQueries = 500
/** Different dates that one calendar may have: some fifty years of months. */
const mostDates = 600
/** Addresses that may turn out to be no pages, and more of them for each that is one. */
const mostBarren = 5_000
const mostBarrenEach = 10
/** Series that are counted; the addresses of later ones are not judged by their number. */
const mostSeries = 10_000

const date = /(?:19|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?(?!\d)/g
const calendarWord = /calendar|events?\b|agenda|schedule|archive|month|week|\bday\b|\bdate\b/i
const session =
  /(?:^|[;&?/])(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|cfid|cftoken)=|\/\([a-z]\([a-z0-9]{20,}\)\)\//i

export function createTrapDetector(): TrapDetector {
  const queries = createCensus(mostQueries)
  const dates = createCensus(mostDates)
  let pages = 0
  let barren = 0
  return {
    note(isPage) {
      if (isPage) pages += 1
      else barren += 1
    },
    isBarren: () => barren > Math.max(mostBarren, mostBarrenEach * pages),
    isTrap(text, depth) {
      const { pathname, search, searchParams } = new URL(text)
      const segments = pathname.split('/').filter((segment) => segment !== '')
      if (depth > deepest || segments.length > mostSegments || repeats(segments)) return true
      if (session.test(pathname + search)) return true
      if (search !== '' && (searchParams.size > mostParameters || queries.isOver(pathname, search)))
        return true
      const target = pathname + search
      const series = target.replace(date, '#')
      return series !== target && calendarWord.test(target) && dates.isOver(series, target)
    },
  }
}

/** Counts the different members of each series, up to a limit, in bounded memory. */
function createCensus(most: number) {
  const series = new Map<string, Set<string>>()
  return {
    /** Whether `member` is one more than the series may have; those that came before it stay in. */
    isOver(name: string, member: string): boolean {
      let members = series.get(name)
      if (members === undefined) {
        if (series.size >= mostSeries) return false
        members = new Set()
        series.set(name, members)
      }
      if (members.has(member)) return false
      if (members.size >= most) return true
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
  for (let length = 1; length * mostRepeats <= segments.length; length++) {
    let same = 0
    for (let at = length; at < segments.length; at++) {
      same = segments[at] === segments[at - length] ? same + 1 : 0
      if (same >= length * (mostRepeats - 1)) return true
    }
  }
  return false
}
