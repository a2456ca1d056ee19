// AnalyticsService: what readers did, added up over a range of days.
import type { ServiceImpl } from '@connectrpc/connect'
import type { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { projectOf } from '../context.ts'
import type { DayTally, Measure } from '../store/analytics.ts'
import type { Store } from '../store/store.ts'
import { readDayRange } from './day-range.ts'

export interface AnalyticsDeps {
  store: Pick<Store, 'analytics' | 'pages'>
  now(): Date
}

/** Entries of a top list. */
const listed = 10

export function createAnalyticsService({
  store,
  now,
}: AnalyticsDeps): Pick<ServiceImpl<typeof AnalyticsService>, 'getSearchAnalytics'> {
  async function withTitles(project: string, pages: { key: string; count: number }[]) {
    const found = await store.pages.byUrls(
      project,
      pages.map(({ key }) => key),
    )
    return pages.map(({ key, count }, n) => ({
      url: key,
      count,
      ...(found[n] && { title: found[n].title }),
    }))
  }

  return {
    async getSearchAnalytics(request, context) {
      const { uuid } = projectOf(context)
      const { startDate, endDate, days } = readDayRange(request, now())
      const tallies = await store.analytics.tallies(uuid, { from: startDate, to: endDate })
      const byDay = new Map(tallies.map((tally) => [tally.day, tally]))
      const over = (measure: Measure) => addUp(tallies, measure)
      const [queries, noResult, clicked] = [over('search'), over('no_result_search'), over('click')]
      const asQueries = (counts: Counts) => top(counts).map(({ key, count }) => ({ query: key, count }))
      return {
        startDate,
        endDate,
        totals: toSearchCounts(queries, noResult, clicked),
        daily: days.map((date) => {
          const of = (measure: Measure) => toCounts(byDay.get(date), measure)
          return { date, ...toSearchCounts(of('search'), of('no_result_search'), of('click')) }
        }),
        topQueries: asQueries(queries),
        topNoResultQueries: asQueries(noResult),
        topClicked: await withTitles(uuid, top(clicked)),
      }
    },
  }
}

type Counts = Map<string, number>

const toCounts = (tally: DayTally | undefined, measure: Measure): Counts =>
  new Map(Object.entries(tally?.counts[measure] ?? {}))

function addUp(tallies: DayTally[], measure: Measure): Counts {
  const totals: Counts = new Map()
  for (const { counts } of tallies)
    for (const [key, count] of Object.entries(counts[measure] ?? {}))
      totals.set(key, (totals.get(key) ?? 0) + count)
  return totals
}

const sum = (counts: Counts): number => [...counts.values()].reduce((total, count) => total + count, 0)

/** The most frequent ones, those of one count by their key; '' is what was counted without a key. */
function top(counts: Counts): { key: string; count: number }[] {
  return [...counts]
    .filter(([key]) => key !== '')
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, listed)
}

function toSearchCounts(queries: Counts, noResult: Counts, clicked: Counts) {
  const [searches, clicks] = [sum(queries), sum(clicked)]
  return {
    searches,
    uniqueQueries: queries.size,
    clicks,
    clickRate: searches === 0 ? 0 : Math.min(1, clicks / searches),
    noResultSearches: sum(noResult),
  }
}
