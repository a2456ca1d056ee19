// Opens the reader of a source: what its type reads it with.
import type { Robots } from '../crawler/robots.ts'
import type { Source, SourceType } from '../services/store/source.ts'
import { sourceTable } from '../sources/source-table.ts'
import type { SourceReader, SourceTools } from '../sources/source-type.ts'
import { createWebFetch } from '../sources/web/web-reader.ts'
import type { CrawlDeps } from './run-control.ts'

export interface ReaderDeps extends Pick<CrawlDeps, 'fetcher' | 'parsePool'> {
  robots: Robots
  project: string
  signal: AbortSignal
}

/** Throws where its settings cannot be read. */
export async function openReader(deps: ReaderDeps, source: Source): Promise<SourceReader> {
  const type = sourceTable[source.type]
  if (type === undefined) throw new Error(`sources of type ${source.type} are not read by this version`)
  return type.open(source, toTools(deps, source.type))
}

/** For pages that no source lists. */
export function createPinnedReader(deps: ReaderDeps): SourceReader {
  return { async *list() {}, fetch: createWebFetch(deps) }
}

function toTools({ fetcher, robots, parsePool, project, signal }: ReaderDeps, type: SourceType): SourceTools {
  return {
    ...{ fetcher, robots, signal },
    read: <Result>(task: string, ...input: unknown[]) =>
      parsePool.read(type, task, input, { project, signal }) as Promise<Result>,
  }
}
