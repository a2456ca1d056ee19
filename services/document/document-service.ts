// DocumentService: a page's text in chunks, and in parts for the pages that Lectern serves itself.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HandlerContext } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import { fileName } from '../../crawler/extract/page.ts'
import type { DocumentService, GetDocumentRequest, GetPageRequest } from '../../gen/lectern/v1/document_pb.js'
import { readOwnAddress, toOwnPages } from '../../sources/own-address.ts'
import { projectOf } from '../context.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { Handlers } from '../routes.ts'
import { createSemaphore, requestLimits } from '../semaphore.ts'
import type { Page, PageContent } from '../store/page.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import { type Chunk, maxChunk, toChunks, toEntries, toParts } from './parts.ts'

const defaultLimit = 20
const maxLimit = 100
/** Maximum characters of the chunks in a response. */
const maxLength = defaultLimit * maxChunk
/** A large page blocks the event loop for some 50 ms. Other requests run between two of them. */
const oneByOne = { ...requestLimits, max: 1 }
/** Maximum characters of each cache. Readers request a document in several calls. */
const maxKept = 16 * 1024 * 1024

interface DocumentDeps {
  store: Store
  /** Base URL of this Lectern, without a trailing slash. */
  base: string
}

export function createDocumentService({ store, base }: DocumentDeps): Handlers<typeof DocumentService> {
  const semaphore = createSemaphore(oneByOne)
  const documents = createCache(({ title, sections }) => ({ title, chunks: toChunks(sections) }))
  const ownPages = createCache(({ title, language, sections }) => {
    return { title, language, parts: toParts(sections) }
  })

  async function readContent(uuid: string): Promise<PageContent> {
    const content = await store.pages.content(uuid)
    if (content !== null) return content
    const sentence = 'The text of this document is no longer stored. Sync its source again.'
    throw new DomainError('crawl_needed', sentence)
  }

  /** Caches what `read` makes from a page's current content. */
  function createCache<Result>(read: (content: PageContent) => Result) {
    const cache = new LRUCache<string, { result: Result; size: number }>({
      maxSize: maxKept,
      sizeCalculation: ({ size }) => size,
    })
    return async ({ uuid, version }: Page): Promise<Result> => {
      const key = `${uuid}:${version}`
      const cached = cache.get(key)
      if (cached) return cached.result
      const result = read(await readContent(uuid))
      cache.set(key, { result, size: JSON.stringify(result).length })
      return result
    }
  }

  async function read({ documentId, cursor, limit }: GetDocumentRequest, project: Project) {
    const [page] = await store.pages.byUuids([documentId])
    if (page?.project !== project.uuid) {
      throw new DomainError('not_found', 'The project has no such document.')
    }
    const { title, chunks } = await documents(page)
    const start = readCursor(cursor)
    const selected = takeFirst(chunks.slice(start, start + Math.min(limit ?? defaultLimit, maxLimit)))
    const end = start + selected.length
    return {
      documentId,
      title,
      sourceType: page.sourceType,
      url: page.url,
      // The address of an uploaded file ends with its name.
      ...(page.sourceType === 'file' && { filePath: fileName(page.url) }),
      totalChunks: chunks.length,
      chunks: selected.map((chunk, position) => ({ ...chunk, chunkIndex: start + position })),
      ...(end < chunks.length && { nextCursor: String(end) }),
    }
  }

  async function readPart({ sourceUuid, path, part = 1 }: GetPageRequest, project: Project) {
    const url = readOwnAddress(toOwnPages(base, project.slug, sourceUuid), path)
    const [page] = url === null ? [] : await store.pages.byUrls(project.uuid, [url])
    if (!page) throw new DomainError('not_found', 'The project has no such page.')
    const { title, language, parts } = await ownPages(page)
    const selected = parts[part - 1]
    if (selected === undefined) throw new DomainError('not_found', 'The page has no such part.')
    return {
      ...{ title, language, part, parts: parts.length },
      sections: selected.map(({ place, ...section }) => ({ ...place, ...section })),
      entries: part === 1 ? toEntries(parts) : [],
    }
  }

  /** Runs one request at a time, and yields to the event loop before each. */
  async function inTurn<Answer>(context: HandlerContext, read: (project: Project) => Promise<Answer>) {
    const project = projectOf(context)
    const work = () => nextTurn().then(() => read(project))
    return semaphore.run(project.uuid, work, context.signal)
  }

  return {
    async getDocument(request, context) {
      return { document: await inTurn(context, (project) => read(request, project)) }
    },
    async getPage(request, context) {
      return { page: await inTurn(context, (project) => readPart(request, project)) }
    },
  }
}

/** The first chunks that fit into a response. */
function takeFirst(chunks: Chunk[]): Chunk[] {
  let length = 0
  const end = chunks.findIndex(({ content }) => {
    length += content.length
    return length > maxLength
  })
  return end === -1 ? chunks : chunks.slice(0, end)
}

/** A cursor is the index of the next chunk. */
function readCursor(cursor: string | undefined): number {
  if (!cursor) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw invalidField('cursor', 'must be a next_cursor of a response')
  return Number(cursor)
}
