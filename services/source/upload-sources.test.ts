// Uploads whose end cannot be seen in what was sent.
import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import { UploadSourcesRequestSchema } from '../../gen/lectern/v1/source_pb.js'
import { project } from '../../test/contract/store-case.ts'
import { projectKey } from '../context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { createUploads } from './upload-sources.ts'

const docs = project('docs')

it('does not take a call for whole that was cancelled when its stream ended', async () => {
  const store = await openSqliteStore(':memory:')
  await store.projects.insert(docs)
  const cancelled = new AbortController()
  const ids: string[] = []
  async function* messages() {
    yield create(UploadSourcesRequestSchema, { part: { case: 'file', value: { name: 'a.txt' } } })
    yield create(UploadSourcesRequestSchema, {
      part: { case: 'data', value: Buffer.from('The beginning.') },
    })
    cancelled.abort(new Error('cancelled'))
  }
  const newUuid = () => ids[ids.push(randomUUID()) - 1]!
  const { uploadSources } = createUploads({
    ...{ store, newUuid, now: () => new Date(0) },
    read: () => async () => null as never,
  })
  const context = { signal: cancelled.signal, values: createContextValues().set(projectKey, docs) }
  try {
    await expect(uploadSources(messages(), context as HandlerContext)).rejects.toThrow('cancelled')
    expect(await store.sources.all(docs.uuid)).toEqual([])
    expect([ids.length, await store.blobs.read(ids[0]!, 0, 1)]).toEqual([1, null])
  } finally {
    await store.close()
  }
})
