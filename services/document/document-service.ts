// DocumentService: a page's text in chunks, and in parts as pages of Lectern's own show it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import {
  type DocumentService,
  type GetDocumentRequest,
  type GetPageRequest,
  PageBlockKind,
} from '../../gen/lectern/v1/document_pb.js'
import { readOwnAddress, toOwnPages } from '../../sources/own-address.ts'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { createSemaphore, requestLimits } from '../semaphore.ts'
import { toSourceType } from '../source/source-message.ts'
import type { Page, PageContent } from '../store/page.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import { maxChunk, toChunks, toEntries, toParts } from './parts.ts'

const defaultLimit = 20
const maxLimit = 100
/** Characters of an answer's chunks. */
const maxLength = defaultLimit * maxChunk
/** The text of a large page takes the event loop some 50 ms: whatever else is asked has its turn between two of them. */
const oneByOne = { ...requestLimits, max: 1 }
/** Characters of the documents in memory, in chunks and in parts: a reader requests a document call by call. */
const maxKept = 16 * 1024 * 1024

interface Document {
  title: string
  chunks: string[]
}

interface OwnPage extends Pick<PageContent, 'title' | 'language'> {
  parts: ReturnType<typeof toParts>
}

const blockKinds = {
  paragraph: PageBlockKind.PARAGRAPH,
  code: PageBlockKind.CODE,
  list: PageBlockKind.LIST,
  table: PageBlockKind.TABLE,
}

interface DocumentDeps {
  store: Store
  /** Where this Lectern is reached, without a closing slash. */
  base: string
}

export function createDocumentService({ store, base }: DocumentDeps): ServiceImpl<typeof DocumentService> {
  const semaphore = createSemaphore(oneByOne)
  const kept = new LRUCache<string, Document>({
    maxSize: maxKept,
    sizeCalculation: ({ title, chunks }) =>
      chunks.reduce((length, chunk) => length + chunk.length, title.length + 1),
  })

  const keptPages = new LRUCache<string, { page: OwnPage; length: number }>({
    maxSize: maxKept,
    sizeCalculation: ({ length }) => length,
  })

  async function readContent(uuid: string): Promise<PageContent> {
    const content = await store.pages.content(uuid)
    if (content !== null) return content
    const sentence = 'The text of this document is not stored any more: crawl its source again first.'
    throw new DomainError('crawl_needed', sentence)
  }

  /** Of the version that readers see. */
  async function openDocument({ uuid, version }: Page): Promise<Document> {
    const key = `${uuid}:${version}`
    const known = kept.get(key)
    if (known) return known
    const content = await readContent(uuid)
    const document = { title: content.title, chunks: toChunks(content.sections) }
    kept.set(key, document)
    return document
  }

  async function openOwnPage({ uuid, version }: Page): Promise<OwnPage> {
    const key = `${uuid}:${version}`
    const known = keptPages.get(key)
    if (known) return known.page
    const { title, language, sections } = await readContent(uuid)
    const page = { title, language, parts: toParts(sections) }
    keptPages.set(key, { page, length: JSON.stringify(page).length })
    return page
  }

  async function read({ documentId, cursor, limit }: GetDocumentRequest, project: Project) {
    const [page] = await store.pages.byUuids([documentId])
    if (page?.project !== project.uuid) {
      throw new DomainError('not_found', 'The project has no such document.')
    }
    const { title, chunks } = await openDocument(page)
    const start = readCursor(cursor)
    const shown = takeFirst(chunks.slice(start, start + Math.min(limit ?? defaultLimit, maxLimit)))
    const end = start + shown.length
    return {
      documentId,
      title,
      sourceType: toSourceType(page.sourceType),
      url: page.url,
      totalChunks: chunks.length,
      chunks: shown.map((chunk, position) => ({ content: chunk, chunkIndex: start + position })),
      ...(end < chunks.length && { nextCursor: String(end) }),
    }
  }

  async function readPart({ sourceUuid, path, part = 1 }: GetPageRequest, project: Project) {
    const url = readOwnAddress(toOwnPages(base, project.slug, sourceUuid), path)
    const [page] = url === null ? [] : await store.pages.byUrls(project.uuid, [url])
    if (!page) throw new DomainError('not_found', 'The project has no such page.')
    const { title, language, parts } = await openOwnPage(page)
    const shown = parts[part - 1]
    if (shown === undefined) throw new DomainError('not_found', 'The page has no such part.')
    return {
      ...{ title, part, parts: parts.length },
      ...(language !== null && { language }),
      sections: shown.map(({ names, depth, blocks, place }) => ({
        ...{ ...place, depth },
        names: names.map(({ heading, anchor }) => ({ heading, ...(anchor !== null && { anchor }) })),
        blocks: blocks.map(({ kind, text }) => ({ kind: blockKinds[kind], text })),
      })),
      entries: part === 1 ? toEntries(parts) : [],
    }
  }

  /** One at a time, and others have their turn between. */
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

/** The first chunks that have room in an answer. */
function takeFirst(chunks: string[]): string[] {
  let length = 0
  const end = chunks.findIndex((chunk) => {
    length += chunk.length
    return length > maxLength
  })
  return end === -1 ? chunks : chunks.slice(0, end)
}

/** A cursor is the index of the next chunk. */
function readCursor(cursor: string | undefined): number {
  if (!cursor) return 0
  if (!/^\d{1,9}$/.test(cursor)) {
    throw new DomainError('invalid', 'cursor: must be one that an answer gave.', {
      cursor: ['must be one that an answer gave'],
    })
  }
  return Number(cursor)
}
