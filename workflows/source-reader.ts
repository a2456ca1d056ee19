// Opens the reader of a source: what its type reads it with.
import type { Robots } from '../crawler/robots.ts'
import type { Source, SourceType } from '../services/store/source.ts'
import { toOwnPages } from '../sources/own-address.ts'
import { sourceTable } from '../sources/source-table.ts'
import { type SourceReader, type SourceTools, UnreadableSource } from '../sources/source-type.ts'
import { createWebFetch } from '../sources/web/web-types.ts'
import { hasSameExtractor } from './parse/parse-page.ts'
import { type ParseContext, ParseLimit, type ParsePool } from './parse/parse-pool.ts'
import type { CrawlDeps } from './run-control.ts'

interface ReaderDeps extends Pick<CrawlDeps, 'store' | 'fetcher' | 'parsePool' | 'credentials' | 'base'> {
  robots: Robots
  project: string
  signal: AbortSignal
}

/** Throws where its settings cannot be read. */
export async function openReader(deps: ReaderDeps, source: Source): Promise<SourceReader> {
  const project = await deps.store.projects.byUuid(deps.project)
  if (project === null) throw new UnreadableSource('Its project is gone.')
  return sourceTable[source.type].open(source, {
    ...toTools(deps, source),
    ownPages: toOwnPages(deps.base, project.slug, source.uuid),
    credentials: openCredentials(deps, source),
  })
}

/** For pages that no source lists. */
export function createPinnedReader(deps: Pick<ReaderDeps, 'fetcher' | 'robots' | 'signal'>): SourceReader {
  return { async *list() {}, fetch: createWebFetch(deps) }
}

function openCredentials({ credentials: keeper }: ReaderDeps, { uuid, credentials }: Source) {
  const opened = credentials === null ? null : keeper.open(uuid, credentials)
  if (credentials !== null && opened === null) {
    throw new UnreadableSource('Its credentials were encrypted under another LECTERN_SECRET: set them again.')
  }
  return opened
}

function toTools(deps: ReaderDeps, { type, options }: Source): Omit<SourceTools, 'credentials' | 'ownPages'> {
  const { store, fetcher, robots, parsePool, project, signal } = deps
  return {
    async known(urls) {
      const pages = await store.pages.byUrls(project, urls)
      return pages.map((page) => (page && hasSameExtractor(page.pipeline) ? page : null))
    },
    ...{ fetcher, robots, signal },
    bytes: async (from, length) =>
      options.blob === undefined ? null : store.blobs.read(options.blob, from, length),
    read: createRead(parsePool, type, { project, signal }),
  }
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
