// AnalyticsService: what readers did in a range of days.
import type { HandlerContext } from '@connectrpc/connect'
import type { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { projectOf } from '../context.ts'
import { invalidField } from '../errors.ts'
import type { Handlers } from '../routes.ts'
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
}: AnalyticsDeps): Handlers<typeof AnalyticsService> {
  async function withTitles(context: HandlerContext, pages: KeyCount[]) {
    const urls = pages.map(({ key }) => key)
    const found = await store.pages.byUrls(projectOf(context).uuid, urls)
    return pages.map(({ key, count }, at) => ({ url: key, count, title: found[at]?.title ?? null }))
  }

  /** Reads the counts of the request's days. */
  function createReader<Measure extends string>(
    counts: CountedDays<Measure>,
    request: Parameters<typeof readDayRange>[0],
    context: HandlerContext,
  ) {
    const { uuid } = projectOf(context)
    const range = readDayRange(request, now())
    const days = { from: range.startDate, to: range.endDate }
    return {
      range,
      top: (measure: Measure) => counts.keys(uuid, days, measure, maxListed),
      /** `unique`: in the whole range. */
      async count<Some extends Measure, Fields>(
        measures: readonly Some[],
        toFields: (of: (measure: Some) => Count) => Fields,
        unique = 0,
      ) {
        const rows = await counts.daily(uuid, days, measures)
        const byDay = Map.groupBy(rows, ({ day }) => day)
        const none = { sum: 0, unique: 0 }
        const ofDay = (day: string) => (measure: Some) =>
          byDay.get(day)?.find((row) => row.measure === measure) ?? none
        const sum = (measure: Some) => range.days.reduce((all, day) => all + ofDay(day)(measure).sum, 0)
        return {
          totals: toFields((measure) => ({ sum: sum(measure), unique })),
          daily: range.days.map((date) => ({ date, ...toFields(ofDay(date)) })),
        }
      },
    }
  }

  return {
    async getSearchAnalytics(request, context) {
      const { range, top, count } = createReader(store.analytics, request, context)
      const queries = await top('search')
      const toQueries = (counts: KeyCount[]) => counts.map(({ key, count }) => ({ query: key, count }))
      return {
        ...toEnds(range),
        ...(await count(['search', 'no_result_search', 'click'], toSearchCounts, queries.unique)),
        topQueries: toQueries(queries.top),
        topNoResultQueries: toQueries((await top('no_result_search')).top),
        topClicked: await withTitles(context, (await top('click')).top),
      }
    },

    async getChatAnalytics(request, context) {
      const { range, top, count } = createReader(store.chats, request, context)
      return {
        ...toEnds(range),
        ...(await count(chatCounts, toChatCounts, (await top('user')).unique)),
        topCitedPages: await withTitles(context, (await top('cited')).top),
        topQuestionPages: await withTitles(context, (await top('asked_on')).top),
      }
    },

    async getMcpAnalytics(request, context) {
      const { range, top, count } = createReader(store.analytics, request, context)
      return {
        ...toEnds(range),
        ...(await count(['session', 'tool_call', 'tool_error'], toMcpCounts)),
        topTools: (await top('tool_call')).top.map(({ key, count }) => ({ tool: key, count })),
        topClients: (await top('session')).top.map(({ key, count }) => ({ client: key, count })),
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
]

type Count = Pick<DayCount, 'unique' | 'sum'>

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
