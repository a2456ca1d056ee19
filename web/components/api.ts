// REST calls of a reader's page: project, search, click. chat-api.ts has those of the chat.

/** HTTP status → kind. Every other status from 400 on is `server`. */
const kinds: Record<number, FailureKind> = {
  400: 'invalid',
  401: 'key',
  403: 'permission',
  404: 'unknown',
  429: 'busy',
  503: 'away',
}

/** `offline`: no response. `domain`: the project does not allow this site. */
export type FailureKind =
  | 'offline'
  | 'invalid'
  | 'key'
  | 'permission'
  | 'domain'
  | 'unknown'
  | 'busy'
  | 'away'
  | 'server'

export class ApiFailure extends Error {
  kind: FailureKind
  /** Seconds to wait, from the server, or null. */
  retryAfter: number | null

  constructor(kind: FailureKind, sentence: string, retryAfter: number | null = null) {
    super(sentence)
    this.kind = kind
    this.retryAfter = retryAfter
  }
}

export interface CallOptions {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal | undefined
  keepalive?: boolean
}

/** Returns the JSON of the response. Rejects with ApiFailure, or with the abort error. */
export type ApiCall = (path: string, options?: CallOptions) => Promise<unknown>

export interface SearchQuery {
  query: string
  /** Title of a filter, or ''. */
  filter: string
  limit: number
}

export interface SearchResult {
  title: string
  page_title: string
  url: string
  fragment: string
  content: string | null
  /** `file` for uploaded files. */
  source_type: string
  /** Headings above the section, outermost first. */
  headings: string[]
}

export interface Click {
  query: string
  url: string
  /** Rank, from 1. */
  position: number
}

export interface ApiOptions {
  /** Address of the Lectern server, with a trailing slash. */
  server: string
  /** Slug or UUID of the project. */
  project: string
  /** The reader's API key, or null. */
  readKey?(): string | null
  /** Further parameters of a search, such as `version`, `language`, `url`, `content_scope`. */
  searchParameters?(): Record<string, string>
  /** Milliseconds before a search that failed with 503 is retried once. */
  retryMs?: number
}

export interface Api {
  call: ApiCall
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchResult[]>
  /** Fire and forget. Continues after the page is closed. */
  reportClick(click: Click): void
}

/** Fields of a result that components show. */
const fields = 'title,page_title,url,fragment,content,source_type,headings'

export function createApi(options: ApiOptions): Api {
  const { server, project, readKey = () => null, searchParameters = () => ({}), retryMs = 1_000 } = options
  const base = new URL(`api/v2/projects/${encodeURIComponent(project)}/`, server)

  async function call(path: string, { headers, body, ...rest }: CallOptions = {}): Promise<unknown> {
    const key = readKey()
    let response: Response
    try {
      response = await fetch(new URL(path, base), {
        ...(rest as RequestInit),
        headers: {
          ...headers,
          ...(key !== null && { authorization: `Api-Key ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      if (rest.signal?.aborted) throw cause
      throw new ApiFailure('offline', 'The server did not respond.')
    }
    if (!response.ok) throw await toFailure(response)
    return response.json().catch(() => {
      throw new ApiFailure('server', 'The response is not JSON.')
    })
  }

  return {
    call,

    async search({ query, filter, limit }, signal) {
      const parameters = new URLSearchParams({
        q: query,
        limit: String(limit),
        fields,
        ...searchParameters(),
        ...(filter && { filter_title: filter }),
      })
      const search = () => call(`search/?${parameters}`, { signal })
      const answer = await search().catch(async (failure) => {
        if (failure.kind !== 'away') throw failure
        await new Promise((resolve) => setTimeout(resolve, retryMs))
        return search()
      })
      return readResults(answer)
    },

    reportClick(click) {
      call('search/click/', { method: 'POST', keepalive: true, body: click }).catch(() => {})
    },
  }
}

async function toFailure(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => null)) as { error?: unknown; code?: unknown } | null
  const sentence = readText(body?.error) || `The server answered ${response.status}.`
  const seconds = Number(response.headers.get('retry-after'))
  const kind = body?.code === 'domain_not_allowed' ? 'domain' : (kinds[response.status] ?? 'server')
  return new ApiFailure(kind, sentence, seconds > 0 ? seconds : null)
}

function readResults(answer: unknown): SearchResult[] {
  const { results } = (answer ?? {}) as { results?: unknown }
  if (!Array.isArray(results)) return []
  return results.map((result) => ({
    title: readText(result?.title),
    page_title: readText(result?.page_title),
    url: readText(result?.url),
    fragment: readText(result?.fragment),
    content: typeof result?.content === 'string' ? result.content : null,
    source_type: readText(result?.source_type),
    headings: Array.isArray(result?.headings) ? result.headings.map(readText) : [],
  }))
}

/** Accepts only strings, because Preact would treat an object as an element. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
