// DocumentService: a page's text in chunks.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServiceImpl } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import type { DocumentService, GetDocumentRequest } from '../../gen/lectern/v1/document_pb.js'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { createSearchQueue } from '../search/search-queue.ts'
import { sourceTypes } from '../source/source-message.ts'
import type { Page } from '../store/page.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import { maxChunk, toChunks } from './chunks.ts'

const defaultLimit = 20
const maxLimit = 100
/** Characters of an answer's chunks. */
const maxLength = defaultLimit * maxChunk
/** The text of a large page takes the event loop some 50 ms: whatever else is asked has its turn between two of them. */
const oneByOne = { maxRunning: 1, maxRunningOfProject: 1, maxWaitingOfProject: 100 }
/** Characters of the documents that are kept in chunks: who reads one goes through it call by call. */
const maxKept = 16 * 1024 * 1024

interface Document {
  title: string
  chunks: string[]
}

export function createDocumentService({ store }: { store: Store }): ServiceImpl<typeof DocumentService> {
  const queue = createSearchQueue(oneByOne)
  const kept = new LRUCache<string, Document>({
    maxSize: maxKept,
    sizeCalculation: ({ title, chunks }) =>
      chunks.reduce((length, chunk) => length + chunk.length, title.length + 1),
  })

  /** Of the version that readers see. */
  async function documentOf({ uuid, version }: Page): Promise<Document> {
    const key = `${uuid}:${version}`
    const known = kept.get(key)
    if (known) return known
    const content = await store.pages.content(uuid)
    if (content === null) {
      const sentence = 'The text of this document is not stored any more: crawl its source again first.'
      throw new DomainError('crawl_needed', sentence)
    }
    const document = { title: content.title, chunks: toChunks(content.sections) }
    kept.set(key, document)
    return document
  }

  async function read({ documentId, cursor, limit }: GetDocumentRequest, project: Project) {
    const [page] = await store.pages.byUuids([documentId])
    if (page?.project !== project.uuid) {
      throw new DomainError('not_found', 'The project has no such document.')
    }
    const { title, chunks } = await documentOf(page)
    const start = readCursor(cursor)
    const shown = firstOf(chunks.slice(start, start + Math.min(limit ?? defaultLimit, maxLimit)))
    const end = start + shown.length
    return {
      documentId,
      title,
      sourceType: sourceTypes[page.sourceType],
      url: page.url,
      totalChunks: chunks.length,
      chunks: shown.map((chunk, position) => ({ content: chunk, chunkIndex: start + position })),
      ...(end < chunks.length && { nextCursor: String(end) }),
    }
  }

  return {
    async getDocument(request, context) {
      const project = projectOf(context)
      const leave = await queue.enter(project.uuid, context.signal)
      try {
        await nextTurn()
        return { document: await read(request, project) }
      } finally {
        leave()
      }
    },
  }
}

/** The first chunks that have room in an answer. */
function firstOf(chunks: string[]): string[] {
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
