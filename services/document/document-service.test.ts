import { create } from '@bufbuild/protobuf'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { GetDocumentRequestSchema } from '../../gen/lectern/v1/document_pb.js'
import { content, page, project } from '../../test/contract/store-case.ts'
import { projectKey } from '../context.ts'
import type { PageContent } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import { createDocumentService } from './document-service.ts'

const known = page('known')
const foreign = { ...page('foreign'), project: 'p2' }

function read(documentId: string, stored: PageContent | null) {
  const pages = {
    byUuids: async (uuids: string[]) =>
      uuids.map((uuid) => [known, foreign].find((each) => each.uuid === uuid) ?? null),
    content: async () => stored,
  }
  const service = createDocumentService({ store: { pages } as unknown as Store })
  const values = createContextValues().set(projectKey, project())
  const request = create(GetDocumentRequestSchema, { slug: 'p', documentId })
  return service.getDocument(request, { values } as unknown as HandlerContext)
}

test('a document is read by its chunks', async () => {
  const { document } = await read(known.uuid, content('apple'))
  expect(document).toMatchObject({ documentId: known.uuid, url: known.url })
})

test('a document whose text is missing is to be crawled again', async () => {
  await expect(read(known.uuid, null)).rejects.toMatchObject({ reason: 'crawl_needed' })
})

test.each(['unknown', foreign.uuid])('the project has no document %s', async (uuid) => {
  await expect(read(uuid, null)).rejects.toMatchObject({ reason: 'not_found' })
})
