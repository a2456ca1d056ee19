// DocumentService: a page's text in chunks, one a section (decisions.md section 5, "Document").
import type { ServiceImpl } from '@connectrpc/connect'
import type { Section } from '../../crawler/extract/page.ts'
import type { DocumentService } from '../../gen/lectern/v1/document_pb.js'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { sourceTypes } from '../source/source-message.ts'
import type { Store } from '../store/store.ts'

const usualChunks = 20
const mostChunks = 100

export function createDocumentService({ store }: { store: Store }): ServiceImpl<typeof DocumentService> {
  return {
    async getDocument({ documentId, cursor, limit }, context) {
      const project = projectOf(context)
      const [page] = await store.pages.byUuids([documentId])
      if (page?.project !== project.uuid) {
        throw new DomainError('not_found', 'The project has no such document.')
      }
      const content = await store.pages.content(page.uuid)
      if (content === null) {
        const sentence = 'The text of this document is not stored any more: crawl its source again first.'
        throw new DomainError('crawl_needed', sentence)
      }
      const start = readCursor(cursor)
      const end = start + Math.min(limit ?? usualChunks, mostChunks)
      return {
        document: {
          documentId,
          title: content.title,
          sourceType: sourceTypes[page.sourceType],
          url: page.url,
          totalChunks: content.sections.length,
          chunks: content.sections.slice(start, end).map((section, position) => ({
            content: toMarkdown(section),
            chunkIndex: start + position,
          })),
          ...(end < content.sections.length && { nextCursor: String(end) }),
        },
      }
    },
  }
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

function toMarkdown({ heading, blocks }: Section): string {
  const texts = blocks.map(({ kind, text }) => (kind === 'code' ? `\`\`\`\n${text}\n\`\`\`` : text))
  return [...(heading ? [`## ${heading}`] : []), ...texts].join('\n\n')
}
