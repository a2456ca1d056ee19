// One source during a run: its start, its scope, its remaining limits, and its reader.
import { createRobots } from '../crawler/robots.ts'
import type { Scope } from '../crawler/scope.ts'
import { createTrapDetector, type TrapDetector } from '../crawler/trap.ts'
import { normalizeUrl } from '../crawler/url.ts'
import { findScope, readScope } from '../services/source/source-scope.ts'
import type { Source } from '../services/store/source.ts'
import { toOwnPages } from '../sources/own-address.ts'
import { sourceTable } from '../sources/source-table.ts'
import { type SourceReader, type SourceTools, UnreadableSource } from '../sources/source-type.ts'
import { createWebFetch } from '../sources/web/web-types.ts'
import { hasSameExtractor } from './parse/parse-page.ts'
import { type ParseContext, ParseLimit, type ParsePool } from './parse/parse-pool.ts'
import type { ReadContext, ReadDeps } from './run-control.ts'

export interface SourceCrawl {
  uuid: string
  type: Source['type']
  /** Whether this is the placeholder source for pages that no source lists. */
  isPinned: boolean
  /** The normalized start address, or ''. */
  start: string
  /** Whether links are followed. */
  follows: boolean
  /** Lists and fetches its documents. */
  reader: SourceReader
  maxDepth: number | null
  maxPages: number | null
  scope: Scope
  traps: TrapDetector
  /** URL → language in the list of documents. */
  languages: Map<string, string>
  /** Why the run has given the source up, or null. */
  givenUp: string | null
  /** Aborts when the source is given up: queued pages are not parsed. */
  reading: AbortController
  /** Counts a page that exceeded the limits of parsing. After the third, the source is given up. */
  noteUnparsed(): void
  /** Where the start address redirected to in the last run, or null. */
  ledTo: string | null
  /** Where the start address redirected to in this run, or null. */
  movedTo(): string | null
  /** The start address redirects: moves the scope to its target. */
  moveTo(url: string): void
}

/** Throws if the source's address or globs are invalid, which is a bug: they were checked when the source was added. */
export function createSourceCrawl(source: Source, reader: SourceReader): SourceCrawl {
  const start = source.url === '' ? '' : normalizeUrl(source.url)
  if (start === null) throw new Error(`source ${source.uuid} has no readable address`)
  const { follows = false, covers } = sourceTable[source.type]
  const toScope = (resolvedUrl: string | null) => findScope({ ...source, resolvedUrl }, reader) ?? everything
  let moved: string | null = null
  const { uuid, type, maxDepth, maxPages, resolvedUrl: ledTo } = source
  const crawl: SourceCrawl = {
    ...createCrawl({ uuid, type, start, scope: toScope(null), reader }),
    ...{ follows, maxDepth, maxPages, ledTo },
    ...(covers === undefined && { traps: noTraps }),
    movedTo: () => moved,
    moveTo(url) {
      moved = url
      crawl.scope = toScope(url)
    },
  }
  return crawl
}

/** A crawl without limits and redirects, which follows no links. */
function createCrawl(own: Pick<SourceCrawl, 'uuid' | 'type' | 'start' | 'scope' | 'reader'>): SourceCrawl {
  let unparsed = 0
  return {
    ...own,
    ...{ isPinned: false, follows: false, maxDepth: null, maxPages: null, ledTo: null, givenUp: null },
    traps: createTrapDetector(),
    languages: new Map(),
    reading: new AbortController(),
    // Uses `this`: a copy of this object is given up by itself.
    noteUnparsed() {
      unparsed += 1
      if (unparsed < maxUnparsed) return
      this.givenUp = tooSlow
      this.reading.abort()
    },
    movedTo: () => null,
    moveTo() {},
  }
}

/** Pages of a source that may exceed the limits of parsing before the source is given up. */
const maxUnparsed = 3

const tooSlow = `${maxUnparsed} pages of its source exceeded the time or memory for a page: the rest was not read.`

/** Source id of pages that no source lists: a recrawl has pinned them. */
export const pinnedSource = 'pinned'

/** Maximum steps that read sources. On Temporal, each step takes six events of the history. */
const maxGroups = 20

/** Groups sources in order, one per group if there are at most 20. Pages that no source lists come last. */
export function groupSources(sources: string[]): string[][] {
  const size = Math.max(1, Math.ceil(sources.length / maxGroups))
  const count = Math.max(1, Math.ceil(sources.length / size))
  const groups = Array.from({ length: count }, (_, at) => sources.slice(at * size, (at + 1) * size))
  groups.at(-1)!.push(pinnedSource)
  return groups
}

/**
 * The placeholder source for pinned pages. It follows no links and accepts any page, except one that a source of the
 * project excludes and no other accepts.
 */
export function createPinnedCrawl(sources: Source[], reader: SourceReader): SourceCrawl {
  const scopes = sources.flatMap((source) => readScope(source) ?? [])
  const scope: Scope = { covers: () => true, admits: (url) => admitsAny(scopes, url) }
  return { ...createCrawl({ uuid: pinnedSource, type: 'url', start: '', scope, reader }), isPinned: true }
}

/** Sources other than the web accept every document that they list. */
const everything: Scope = { covers: () => true, admits: () => 'in' }
const noTraps: TrapDetector = { isTrap: () => false, note() {}, isBarren: () => false }

/** Whether any source admits an address, without the need to cover it. */
function admitsAny(scopes: Scope[], url: string): 'in' | 'excluded' {
  const answers = scopes.map((scope) => scope.admits(url))
  return answers.includes('excluded') && !answers.includes('in') ? 'excluded' : 'in'
}

/** The canonical address of a page, if it is another page that the source accepts, else null. */
export function canonicalElsewhere(
  source: SourceCrawl,
  url: string,
  canonical: string | null,
): string | null {
  const counts =
    canonical !== null && spelling(canonical) !== spelling(url) && source.scope.admits(canonical) === 'in'
  return counts ? canonical : null
}

/**
 * Treats `http://a.org/b`, `https://a.org/b/`, `https://a.org/b.html` and `https://a.org/b/index.html` as one page. Otherwise,
 * a page whose canonical address redirects back to it would never be indexed.
 */
function spelling(url: string): string {
  return url.replace(/^http:/, 'https:').replace(/(?:\/index)?\.html?$|\/$/, '')
}

/** Opens `fetcher` and `robots` for a run or a recrawl of a project. */
export function openContext<Deps extends ReadDeps>(deps: Deps, project: string, signal: AbortSignal) {
  const fetcher = deps.fetcher.forProject(project)
  const robots = createRobots(fetcher, (body) => deps.parsePool.robots(body, { project, signal }), signal)
  return { ...deps, fetcher, robots, project, signal }
}

/** Rejects if the source's settings are invalid. */
export async function openReader(context: ReadContext, source: Source): Promise<SourceReader> {
  const { store, fetcher, robots, signal } = context
  const { type, uuid, options } = source
  const project = await store.projects.byUuid(context.project)
  if (project === null) throw new UnreadableSource('Its project is gone.')
  return sourceTable[type].open(source, {
    ...{ fetcher, robots, signal },
    ownPages: toOwnPages(context.base, project.slug, uuid),
    credentials: openCredentials(context, source),
    async known(urls) {
      const pages = await store.pages.byUrls(project.uuid, urls)
      return pages.map((page) => (page && hasSameExtractor(page.pipeline) ? page : null))
    },
    bytes: async (from, length) =>
      options.blob === undefined ? null : store.blobs.read(options.blob, from, length),
    read: createRead(context.parsePool, type, context),
  })
}

/** For pinned and recrawled pages: reads each with the reader of the source that covers it. */
export function createPinnedReader(context: ReadContext, sources: Source[]): SourceReader {
  const scopes = sources.map((source) => ({ source, scope: readScope(source) }))
  return {
    async *list() {},
    async fetch(url, known) {
      const taking = scopes.find(({ scope }) => scope?.admits(url) === 'in')?.source
      const reader = taking ? await openReader(context, taking) : { fetch: createWebFetch(context) }
      return reader.fetch(url, known)
    },
  }
}

function openCredentials({ credentials: keeper }: ReadContext, { uuid, credentials }: Source) {
  const opened = credentials === null ? null : keeper.open(uuid, credentials)
  if (credentials !== null && opened === null) {
    throw new UnreadableSource('Its credentials were encrypted under another LECTERN_SECRET: set them again.')
  }
  return opened
}

/** Runs tasks of a source type's parser in the parse threads. */
export function createRead(
  pool: ParsePool,
  type: Source['type'],
  context: ParseContext,
): SourceTools['read'] {
  return <Result>(task: string, ...input: unknown[]) =>
    pool.read(type, task, input, context).catch((cause) => {
      if (!(cause instanceof ParseLimit)) throw cause
      throw new UnreadableSource('Reading it exceeds the limit of time or memory.', { cause })
    }) as Promise<Result>
}
