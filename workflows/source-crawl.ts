// One source during a run: its start, its scope, its remaining limits, and its reader.
import { createRobots } from '../crawler/robots.ts'
import type { Scope } from '../crawler/scope.ts'
import { createTrapDetector, type TrapDetector } from '../crawler/trap.ts'
import { normalizeUrl } from '../crawler/url.ts'
import { findScope, readScope } from '../services/source/source-scope.ts'
import type { Source, SourceType } from '../services/store/source.ts'
import { toOwnPages } from '../sources/own-address.ts'
import { sourceTable } from '../sources/source-table.ts'
import { type SourceReader, type SourceTools, UnreadableSource } from '../sources/source-type.ts'
import { createWebFetch } from '../sources/web/web-types.ts'
import { hasSameExtractor } from './parse/parse-page.ts'
import { type ParseContext, ParseLimit, type ParsePool } from './parse/parse-pool.ts'
import type { CrawlDeps, ReadContext } from './run-control.ts'

export interface SourceCrawl {
  uuid: string
  type: SourceType
  /** A stand-in for pages that no source lists: they belong to no set. */
  isPinned: boolean
  /** The normalised start address; empty where it has none. */
  start: string
  /** Whether links lead on. */
  follows: boolean
  /** Lists and fetches its documents. */
  reader: SourceReader
  maxDepth: number | null
  maxPages: number | null
  scope: Scope
  traps: TrapDetector
  /** URL → language, where the list of its documents names one. */
  languages: Map<string, string>
  /** Why nothing more of it is read in this run; null while it is. */
  givenUp: string | null
  /** Aborts when it is given up: pages that wait to be parsed are not. */
  reading: AbortController
  /** A page could not be parsed in its limits: after the third the source is given up. */
  noteUnparsed(): void
  /** Where the start address led when it was last asked; null where it answered for itself. */
  ledTo: string | null
  /** Where the start address led in this run; null while it answers for itself. */
  movedTo(): string | null
  /** The start address redirects: the scope moves to where it ends. */
  moveTo(url: string): void
}

/** Throws when the source's address or globs cannot be read: they were checked when the source was added. */
export function createSourceCrawl(source: Source, reader: SourceReader): SourceCrawl {
  const start = source.url === '' ? '' : normalizeUrl(source.url)
  if (start === null) throw new Error(`source ${source.uuid} has no readable address`)
  const { follows = false, covers } = sourceTable[source.type]
  const toScope = (resolvedUrl: string | null) => findScope({ ...source, resolvedUrl }, reader) ?? everything
  let moved: string | null = null
  const crawl: SourceCrawl = {
    ...createPinnedCrawl([], reader),
    ...{ uuid: source.uuid, type: source.type, isPinned: false, start, follows },
    ...{ maxDepth: source.maxDepth, maxPages: source.maxPages, ledTo: source.resolvedUrl },
    scope: toScope(null),
    ...(covers === undefined && { traps: noTraps }),
    movedTo: () => moved,
    moveTo(url) {
      moved = url
      crawl.scope = toScope(url)
    },
  }
  return crawl
}

/** Pages of a source that may take more than their limits of time and memory. */
const maxUnparsed = 3

const tooSlow = `${maxUnparsed} pages of its source took more time or memory than a page may: the rest was left alone.`

/** Source id of listings that no source makes: pages pinned by a recrawl, visited for their own sake. */
export const pinnedSource = 'pinned'

/** Steps in which a run reads its sources: each is six events of a history on Temporal, however few pages the sources have. */
const maxGroups = 20

/** In their order: each by itself, or, of more than 20, some together. Pages that no source lists come last. */
export function groupSources(sources: string[]): string[][] {
  const size = Math.max(1, Math.ceil(sources.length / maxGroups))
  const count = Math.max(1, Math.ceil(sources.length / size))
  const groups = Array.from({ length: count }, (_, at) => sources.slice(at * size, (at + 1) * size))
  groups.at(-1)!.push(pinnedSource)
  return groups
}

/**
 * Stands for a source where pages are visited for their own sake: it follows no link and takes any page, but for one
 * that a source of the project leaves out and no other takes.
 */
export function createPinnedCrawl(sources: Source[], reader: SourceReader): SourceCrawl {
  const scopes = sources.flatMap((source) => readScope(source) ?? [])
  let unparsed = 0
  return {
    ...{ uuid: pinnedSource, type: 'url', isPinned: true, start: '', follows: false, reader },
    ...{ maxDepth: null, maxPages: null, ledTo: null, givenUp: null },
    scope: { covers: () => true, admits: (url) => admitsAny(scopes, url) },
    traps: createTrapDetector(),
    languages: new Map(),
    reading: new AbortController(),
    // A source that is made from this one gives up itself.
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

/** Of a source that is not of the web every document that it lists is wanted. */
const everything: Scope = { covers: () => true, admits: () => 'in' }
const noTraps: TrapDetector = { isTrap: () => false, note() {}, isBarren: () => false }

/** How the sources together take an address that none of them needs to cover. */
function admitsAny(scopes: Scope[], url: string): 'in' | 'excluded' {
  const answers = scopes.map((scope) => scope.admits(url))
  return answers.includes('excluded') && !answers.includes('in') ? 'excluded' : 'in'
}

/** The address that a page names in its own place, if that is another page that the source would take; null if not. */
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
 * `http://a.org/b`, `https://a.org/b/`, `https://a.org/b.html` and `https://a.org/b/index.html` are one page, or lead to
 * each other: taken at its word, a page that names the spelling that redirects to it would never be indexed.
 */
function spelling(url: string): string {
  return url.replace(/^http:/, 'https:').replace(/(?:\/index)?\.html?$|\/$/, '')
}

/** `fetcher` and `robots` of a project, which a run or a recrawl of it has for its time. */
export function openContext<Deps extends Pick<CrawlDeps, 'fetcher' | 'parsePool'>>(
  deps: Deps,
  project: string,
  signal: AbortSignal,
) {
  const fetcher = deps.fetcher.forProject(project)
  const robots = createRobots(fetcher, (body, signal) => deps.parsePool.robots(body, { project, signal }))
  return { ...deps, fetcher, robots, project, signal }
}

/** What a reader needs of a run, a recrawl or a test. */
type ReaderContext = Pick<
  ReadContext,
  'store' | 'fetcher' | 'robots' | 'parsePool' | 'credentials' | 'base' | 'project' | 'signal'
>

/** Throws where its settings cannot be read. */
export async function openReader(context: ReaderContext, source: Source): Promise<SourceReader> {
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

/** For pages that no source lists, or that are recrawled: each is read as the source that takes it reads its own. */
export function createPinnedReader(context: ReaderContext, sources: Source[]): SourceReader {
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

function openCredentials({ credentials: keeper }: ReaderContext, { uuid, credentials }: Source) {
  const opened = credentials === null ? null : keeper.open(uuid, credentials)
  if (credentials !== null && opened === null) {
    throw new UnreadableSource('Its credentials were encrypted under another LECTERN_SECRET: set them again.')
  }
  return opened
}

/** Tasks of the parser of a source type, in the parse threads. */
export function createRead(pool: ParsePool, type: SourceType, context: ParseContext): SourceTools['read'] {
  return async <Result>(task: string, ...input: unknown[]) => {
    try {
      return (await pool.read(type, task, input, context)) as Result
    } catch (error) {
      if (!(error instanceof ParseLimit)) throw error
      throw new UnreadableSource('It takes more time or memory to read than it may.', { cause: error })
    }
  }
}
