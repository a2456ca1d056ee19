// AnalyticsService: what readers did, added up over a range of days.
import type { ServiceImpl } from '@connectrpc/connect'
import type { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { projectOf } from '../context.ts'
import type { Store } from '../store/store.ts'
import { toClusters } from './clusters.ts'
import { readDayRange } from './day-range.ts'
import type { TextVectors } from './text-vectors.ts'
import { addUp, type KeyCount, type Totals } from './totals.ts'

interface AnalyticsDeps {
  store: Pick<Store, 'analytics' | 'chats' | 'pages'>
  vectors: TextVectors
  now(): Date
}

/** Entries of a top list. */
const listed = 10

/** Texts that are put together: the most frequent ones. */
const maxTexts = 300
/** Clusters that are told. */
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
      const { uuid } = projectOf(context)
      const range = readDayRange(request, now())
      const measures = ['search', 'no_result_search', 'click'] as const
      const counted = await addUp(store.analytics, uuid, range, measures)
      const asQueries = (keys: KeyCount[]) => keys.map(({ key, count }) => ({ query: key, count }))
      return {
        ...endsOf(range),
        totals: toSearchCounts(counted.total),
        daily: range.days.map((date) => ({
          date,
          ...toSearchCounts((measure) => counted.ofDay(date, measure)),
        })),
        topQueries: asQueries(await counted.top('search', listed)),
        topNoResultQueries: asQueries(await counted.top('no_result_search', listed)),
        topClicked: await withTitles(uuid, await counted.top('click', listed)),
      }
    },

    async getChatAnalytics(request, context) {
      const { uuid } = projectOf(context)
      const range = readDayRange(request, now())
      const counted = await addUp(store.chats, uuid, range, chatCounts)
      return {
        ...endsOf(range),
        totals: toChatCounts(counted.total),
        daily: range.days.map((date) => ({
          date,
          ...toChatCounts((measure) => counted.ofDay(date, measure)),
        })),
        topCitedPages: await withTitles(uuid, await counted.top('cited', listed)),
        topQuestionPages: await withTitles(uuid, await counted.top('asked_on', listed)),
      }
    },

    async getMcpAnalytics(request, context) {
      const { uuid } = projectOf(context)
      const range = readDayRange(request, now())
      const measures = ['session', 'tool_call', 'tool_error'] as const
      const counted = await addUp(store.analytics, uuid, range, measures)
      return {
        ...endsOf(range),
        totals: toMcpCounts(counted.total),
        daily: range.days.map((date) => ({
          date,
          ...toMcpCounts((measure) => counted.ofDay(date, measure)),
        })),
        topTools: (await counted.top('tool_call', listed)).map(({ key, count }) => ({ tool: key, count })),
        topClients: (await counted.top('session', listed)).map(({ key, count }) => ({ client: key, count })),
      }
    },

    async getInsights(request, context) {
      const { uuid } = projectOf(context)
      const range = readDayRange(request, now())
      const chats = await addUp(store.chats, uuid, range, ['question', 'unanswered'])
      const searches = await addUp(store.analytics, uuid, range, ['no_result_search'])
      const asked = await chats.top('question', maxTexts)
      const missed = [
        ...(await chats.top('unanswered', maxTexts)),
        ...(await searches.top('no_result_search', maxTexts)),
      ]
      const gaps = missed.sort((a, b) => b.count - a.count).slice(0, maxTexts)
      const meanings = await vectors([...asked, ...gaps].map(({ key }) => key))
      return {
        ...endsOf(range),
        frequentQuestions: toClusters(asked, meanings)
          .filter(({ count }) => count > 1)
          .slice(0, maxClusters),
        contentGaps: toClusters(gaps, meanings).slice(0, maxClusters),
      }
    },
  }
}

const chatCounts = [
  ...(['chat', 'message', 'user', 'positive', 'negative', 'answered', 'pointed', 'refused'] as const),
  ...(['cited', 'asked_on'] as const),
]

type Count = Pick<Totals, 'unique' | 'sum'>

const endsOf = ({ startDate, endDate }: { startDate: string; endDate: string }) => ({ startDate, endDate })

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
  return {
    sessions: of('session').sum,
    toolCalls: of('tool_call').sum,
    errors: of('tool_error').sum,
  }
}
