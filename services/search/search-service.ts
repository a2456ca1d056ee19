// SearchService: searches, explained on request, and clicks on results.
import { maxUrlLength } from '../../crawler/url.ts'
import {
  ContentScope,
  type ExplainSearchRequest,
  type SearchRequest,
  SearchResultSchema,
  type SearchService,
} from '../../gen/lectern/v1/search_pb.js'
import { sourceTable } from '../../sources/source-table.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import type { SearchRecorder } from '../analytics/search-recorder.ts'
import { callerOf, projectOf } from '../context.ts'
import { invalidField } from '../errors.ts'
import type { Handlers } from '../routes.ts'
import { type AnalyticsEvent, toKey, toPageKey } from '../store/analytics.ts'
import type { PageStore } from '../store/page.ts'
import type { Project, SearchFilter } from '../store/project.ts'
import { meaningTrailer } from './meaning.ts'
import type { SearchAnswer, SearchQuery, UrlFilter } from './search.ts'

interface SearchDeps {
  /** Cancels the search if `signal` aborts before it begins. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>
  recorder: SearchRecorder
  pages: Pick<PageStore, 'byUrls'>
  now(): Date
  newUuid(): string
}

const defaultLimit = 10
const maxLimit = 50
/** Content scope `site`: all types except uploaded files. */
const siteTypes = (Object.keys(sourceTable) as SourceTypeName[]).filter((type) => type !== 'file')

export function createSearchService(deps: SearchDeps): Handlers<typeof SearchService> {
  function event(kind: AnalyticsEvent['kind'], { uuid }: Project) {
    return { uuid: deps.newUuid(), project: uuid, kind, at: deps.now().toISOString() }
  }

  return {
    async search(request, context) {
      const project = projectOf(context)
      const { results, meaning } = await deps.search(toQuery(request, project), context.signal)
      if (meaning !== null) context.responseTrailer.set(meaningTrailer, meaning)
      const caller = callerOf(context)
      if (!(request.uncounted && caller.team !== null)) {
        deps.recorder.searched(caller.address || (caller.key?.uuid ?? ''), {
          ...event('search', project),
          query: request.q,
          url: null,
          name: null,
          number: results.length,
        })
      }
      return { results: results.map((result) => pick(result, request.fields)) }
    },

    async explainSearch(request, context) {
      const query = { ...toQuery(request, projectOf(context)), isExplained: true }
      const { results, meaning, explanation } = await deps.search(query, context.signal)
      return {
        ...{ meaning, words: explanation!.words },
        results: results.map((result, at) => ({ ...result, ...explanation!.results[at]! })),
      }
    },

    async reportClick({ query, url, position }, context) {
      const project = projectOf(context)
      const page = toPageKey(url ?? null)
      const isReadable = page !== '' && page.length <= maxUrlLength
      // Callers can send any address, so only those of the project's pages are counted separately.
      const [known] = isReadable ? await deps.pages.byUrls(project.uuid, [page]) : []
      deps.recorder.record({
        ...event('click', project),
        query: query === undefined ? null : toKey(query),
        url: known?.url ?? null,
        name: null,
        number: position ?? null,
      })
      return {}
    },
  }
}

function toQuery(request: SearchRequest | ExplainSearchRequest, { uuid, config }: Project): SearchQuery {
  return {
    project: uuid,
    q: request.q,
    urlFilter: readFilter(request, config.search.filters),
    pageUrl: request.url ?? null,
    limit: Math.min(request.limit ?? defaultLimit, maxLimit),
    docVersion: request.version ?? null,
    language: request.language?.toLowerCase() ?? null,
    sourceTypes: request.contentScope === ContentScope.ALL ? null : siteTypes,
  }
}

/** Selects fields of a result by name. By default all except the headings, which older clients do not know. */
function pick<Result extends object>(result: Result, fields: string[]): Partial<Result> {
  if (fields.length === 0) return { ...result, headings: [] }
  const names = SearchResultSchema.fields.filter(({ name }) => fields.includes(name))
  const chosen = names.map(({ localName }) => [localName, result[localName as keyof Result]])
  return Object.fromEntries(chosen) as Partial<Result>
}

/** The URL pattern of a request: that of a stored filter, or its own. The search thread parses it. */
function readFilter(
  { filterTitle, domainFilter }: Pick<SearchRequest, 'filterTitle' | 'domainFilter'>,
  filters: SearchFilter[],
): UrlFilter | null {
  if (filterTitle) {
    const filter = filters.find(({ title }) => title === filterTitle)
    const field = 'filter_title'
    if (!filter) throw invalidField(field, 'must be the title of one of the project’s filters')
    return { field, pattern: filter.url }
  }
  if (!domainFilter) return null
  const stored = filters.find(
    ({ title, url }) =>
      title === domainFilter || url === domainFilter || url.replaceAll('+', ' ') === domainFilter,
  )
  return { field: 'domain_filter', pattern: stored?.url ?? domainFilter }
}
