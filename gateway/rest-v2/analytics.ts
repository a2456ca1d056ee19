import { AnalyticsService } from '../../gen/lectern/v1/analytics_pb.js'
import { fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer } from '../rest-write.ts'

const { getSearchAnalytics, getChatAnalytics, getMcpAnalytics, getInsights } = AnalyticsService.method
const search = '/api/v2/projects/{slug}/analytics/search/'
const chat = '/api/v2/projects/{slug}/analytics/chat/'
const mcp = '/api/v2/projects/{slug}/analytics/mcp/'
const insights = '/api/v2/projects/{slug}/analytics/insights/'

// biome-ignore format: a table
export const analyticsRows: Row[] = [
  { method: 'GET', path: search, call: getSearchAnalytics, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: chat, call: getChatAnalytics, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: mcp, call: getMcpAnalytics, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: insights, call: getInsights, read: fromQuery, write: toAnswer, status: 200 },
]
