// The core called within the process: streams that are handed over keep every rule of those that cross a socket.
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { SourceService } from '../../gen/lectern/v1/source_pb.js'
import { SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { addKey, adminKey, inMemory, logged, stopped } from './core.ts'

const sync = createClient(SyncService, inMemory)
const headers = { authorization: `Api-Key ${adminKey}` }
const run = (syncUuid: string) => ({ slug: 'red-public', syncUuid })

async function read(items: AsyncIterable<{ run?: { uuid: string } | undefined }>): Promise<unknown[]> {
  const uuids: unknown[] = []
  for await (const item of items) uuids.push(item.run?.uuid)
  return uuids
}

it('streams whole messages to the end', async () => {
  const items = []
  for await (const item of sync.watchSync(run('r'), { headers })) items.push(item)
  expect(items).toHaveLength(3)
  // A handler gives values alone; readers get messages with every field.
  expect(items[0]).toMatchObject({
    $typeName: 'lectern.v1.WatchSyncResponse',
    run: { status: 0 },
  })
})

it('admits callers as a socket does', async () => {
  const failed = (key: string) =>
    read(sync.watchSync(run('r'), { headers: key ? { authorization: key } : {} }))
  await expect(failed('')).rejects.toMatchObject({ code: Code.Unauthenticated })
  await expect(failed(`Api-Key ${await addKey({ permissions: ['search'] })}`)).rejects.toMatchObject({
    code: Code.PermissionDenied,
  })
})

it('hides and logs what nobody foresaw, in the middle of a stream', async () => {
  const error: unknown = await read(sync.watchSync(run('boom'), { headers })).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ConnectError)
  expect((error as ConnectError).rawMessage).toBe('internal error')
  expect((error as ConnectError).findDetails(ErrorDetailSchema)).toMatchObject([{ reason: 'internal' }])
  expect(String(logged.at(-1))).toContain('while iterating')
})

it('tells a handler that its reader has left', async () => {
  const leaving = new AbortController()
  const before = stopped.length
  let seen = 0
  const reading = async () => {
    for await (const _ of sync.watchSync(run('forever'), { headers, signal: leaving.signal })) {
      seen++
      if (seen === 3) setImmediate(() => leaving.abort())
    }
  }
  await expect(reading()).rejects.toMatchObject({ code: Code.Canceled })
  expect(stopped).toHaveLength(before + 1)
})

it('takes what its caller streams', async () => {
  const uploads = createClient(SourceService, inMemory)
  async function* files(...names: string[]) {
    for (const name of names) yield { slug: 'red-private', part: { case: 'file' as const, value: { name } } }
  }
  const { results } = await uploads.uploadSources(files('a.md', 'b.md'), { headers })
  expect(results.map(({ name }) => name)).toEqual(['a.md', 'b.md'])
  await expect(uploads.uploadSources(files('a.md'))).rejects.toMatchObject({ code: Code.Unauthenticated })
})

it('answers unimplemented where there is no handler, to those who may call it', async () => {
  const projects = createClient(ProjectService, inMemory)
  const listed = (given?: { headers: Record<string, string> }) => projects.listProjects({}, given)
  await expect(listed({ headers })).rejects.toMatchObject({ code: Code.Unimplemented })
  await expect(listed()).rejects.toMatchObject({ code: Code.Unauthenticated })
})
