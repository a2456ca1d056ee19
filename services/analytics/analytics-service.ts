// AnalyticsService: what readers did in a range of days.
import type { ServiceImpl } from '@connectrpc/connect'
import type { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { projectOf } from '../context.ts'
import { invalidField } from '../errors.ts'
import { byCount, type CountedDays, type DayCount, type KeyCount } from '../store/analytics.ts'
import type { Store } from '../store/store.ts'
import { type TextVectors, toClusters } from './clusters.ts'

interface AnalyticsDeps {
  store: Pick<Store, 'analytics' | 'chats' | 'pages'>
  vectors: TextVectors
  now(): Date
}

/** Maximum entries of a top list. */
const maxListed = 10

/** Maximum texts to cluster, the most frequent first. */
const maxTexts = 300
const maxClusters = 20

export function createAnalyticsService({
  store,
  vectors,
  now,
}: AnalyticsDeps): ServiceImpl<typeof AnalyticsService> {
  async function withTitles(project: string, pages: KeyCount[]) {
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
      const project = projectOf(context).uuid
      const range = readDayRange(request, now())
      const measures = ['search', 'no_result_search', 'click'] as const
      const { totals, daily, keys } = await readCounts(store.analytics, project, range, measures)
      const toQueries = (counts: KeyCount[]) => counts.map(({ key, count }) => ({ query: key, count }))
      const queries = await keys('search', maxListed)
      return {
        ...toEnds(range),
        totals: totals(toSearchCounts, queries.unique),
        daily: daily(toSearchCounts),
        topQueries: toQueries(queries.top),
        topNoResultQueries: toQueries((await keys('no_result_search', maxListed)).top),
        topClicked: await withTitles(project, (await keys('click', maxListed)).top),
      }
    },

    async getChatAnalytics(request, context) {
      const project = projectOf(context).uuid
      const range = readDayRange(request, now())
      const { totals, daily, keys } = await readCounts(store.chats, project, range, chatCounts)
      return {
        ...toEnds(range),
        totals: totals(toChatCounts, (await keys('user', 1)).unique),
        daily: daily(toChatCounts),
        topCitedPages: await withTitles(project, (await keys('cited', maxListed)).top),
        topQuestionPages: await withTitles(project, (await keys('asked_on', maxListed)).top),
      }
    },

    async getMcpAnalytics(request, context) {
      const project = projectOf(context).uuid
      const range = readDayRange(request, now())
      const measures = ['session', 'tool_call', 'tool_error'] as const
      const { totals, daily, keys } = await readCounts(store.analytics, project, range, measures)
      const [tools, clients] = [await keys('tool_call', maxListed), await keys('session', maxListed)]
      return {
        ...toEnds(range),
        totals: totals(toMcpCounts),
        daily: daily(toMcpCounts),
        topTools: tools.top.map(({ key, count }) => ({ tool: key, count })),
        topClients: clients.top.map(({ key, count }) => ({ client: key, count })),
      }
    },

    async getInsights(request, context) {
      const { uuid } = projectOf(context)
      const range = readDayRange(request, now())
      const days = { from: range.startDate, to: range.endDate }
      const { top: asked } = await store.chats.keys(uuid, days, 'question', maxTexts)
      const { top: unanswered } = await store.chats.keys(uuid, days, 'unanswered', maxTexts)
      const { top: notFound } = await store.analytics.keys(uuid, days, 'no_result_search', maxTexts)
      const gaps = [...unanswered, ...notFound].sort(byCount).slice(0, maxTexts)
      const meanings = await vectors([...asked, ...gaps].map(({ key }) => key))
      return {
        ...toEnds(range),
        frequentQuestions: (await toClusters(asked, meanings))
          .filter(({ count }) => count > 1)
          .slice(0, maxClusters),
        contentGaps: (await toClusters(gaps, meanings)).slice(0, maxClusters),
      }
    },
  }
}

const chatCounts = [
  ...(['chat', 'message', 'user', 'positive', 'negative', 'answered', 'pointed', 'refused'] as const),
  ...(['cited', 'asked_on'] as const),
]

type Count = Pick<DayCount, 'unique' | 'sum'>

/** Converts the counts of the measures to the fields of a response. */
type ToFields<Measure, Fields> = (of: (measure: Measure) => Count) => Fields

/** Reads the counts of a range once, for both totals and days. */
async function readCounts<Measure extends string>(
  store: CountedDays<Measure>,
  project: string,
  { startDate: from, endDate: to, days }: DayRange,
  measures: readonly Measure[],
) {
  const sums = new Map<Measure, number>()
  const byDay = new Map<string, Count>()
  for (const count of await store.daily(project, { from, to }, measures)) {
    sums.set(count.measure, (sums.get(count.measure) ?? 0) + count.sum)
    byDay.set(`${count.day} ${count.measure}`, count)
  }
  return {
    totals: <Fields>(toFields: ToFields<Measure, Fields>, unique = 0) =>
      toFields((measure) => ({ sum: sums.get(measure) ?? 0, unique })),
    daily: <Fields>(toFields: ToFields<Measure, Fields>) =>
      days.map((date) => ({
        date,
        ...toFields((measure) => byDay.get(`${date} ${measure}`) ?? { unique: 0, sum: 0 }),
      })),
    keys: (measure: Measure, limit: number) => store.keys(project, { from, to }, measure, limit),
  }
}

const toEnds = ({ startDate, endDate }: { startDate: string; endDate: string }) => ({ startDate, endDate })

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(1, part / whole))

function toSearchCounts(of: (measure: 'search' | 'no_result_search' | 'click') => Count) {
  const [searches, clicks] = [of('search'), of('click').sum]
  return {
    searches: searches.sum,
    uniqueQueries: searches.unique,
    clicks,
    clickRate: share(clicks, searches.sum),
    noResultSearches: of('no_result_search').sum,
  }
}

function toChatCounts(of: (measure: (typeof chatCounts)[number]) => Count) {
  const [positive, negative] = [of('positive').sum, of('negative').sum]
  const [pointed, refused] = [of('pointed').sum, of('refused').sum]
  return {
    chats: of('chat').sum,
    messages: of('message').sum,
    uniqueUsers: of('user').unique,
    ...{ positive, negative },
    satisfaction: share(positive, positive + negative),
    unanswered: pointed + refused,
    answered: of('answered').sum,
    ...{ pointed, refused },
  }
}

function toMcpCounts(of: (measure: 'session' | 'tool_call' | 'tool_error') => Count) {
  return { sessions: of('session').sum, toolCalls: of('tool_call').sum, errors: of('tool_error').sum }
}

/** Default range: today and the 29 days before. */
const defaultDays = 30
const maxDays = 366
const dayMs = 86_400_000

export interface DayRange {
  startDate: string
  endDate: string
  days: string[]
}

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

export function readDayRange(
  request: { startDate?: string | undefined; endDate?: string | undefined },
  now: Date,
): DayRange {
  const end = readDay('end_date', request.endDate ?? toDay(now.getTime()))
  const start =
    request.startDate === undefined
      ? end - (defaultDays - 1) * dayMs
      : readDay('start_date', request.startDate)
  if (start > end) throw invalidField('start_date', `must not be after end_date, ${toDay(end)}`)
  const count = (end - start) / dayMs + 1
  if (count > maxDays)
    throw invalidField('start_date', `must be at most ${maxDays} days before the end, both days counted`)
  const days = Array.from({ length: count }, (_, n) => toDay(start + n * dayMs))
  return { startDate: toDay(start), endDate: toDay(end), days }
}

/** The contract checks the format. This rejects days that do not exist, such as 2026-02-30. */
function readDay(field: string, text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time) || toDay(time) !== text)
    throw invalidField(field, 'must be a date such as 2026-01-31')
  return time
}
