// gRPC by a stock client (@grpc/grpc-js) that reads the .proto files themselves.
import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey, logged, openTestServer, stopped } from './core.ts'

type Call = (
  request: object,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  done: (error: grpc.ServiceError | null, response?: unknown) => void,
) => grpc.ClientUnaryCall
type Stream = (
  request: object,
  metadata?: grpc.Metadata,
  options?: grpc.CallOptions,
) => grpc.ClientReadableStream<{ run: { uuid: string; pages: { fetched: number } | null } }>

const definitions = grpc.loadPackageDefinition(
  loadSync(
    ['search', 'sync', 'chat', 'source', 'error'].map((name) => `lectern/v1/${name}.proto`),
    {
      includeDirs: ['proto', 'proto/vendor'],
      keepCase: true,
      enums: String,
    },
  ),
) as unknown as { lectern: { v1: Record<string, grpc.ServiceClientConstructor> } }

let server: Awaited<ReturnType<typeof openTestServer>>
const clients: grpc.Client[] = []

beforeAll(async () => {
  server = await openTestServer()
})
afterAll(async () => {
  for (const client of clients) client.close()
  await server.close()
})

function client(service: string) {
  const one = new definitions.lectern.v1[service]!(server.authority, grpc.credentials.createInsecure())
  clients.push(one)
  return one as unknown as Record<string, Call & Stream>
}

function call(
  service: string,
  method: string,
  request: object,
  header: Record<string, string> = {},
  options = {},
) {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(header)) metadata.set(name, value)
  // biome-ignore lint/suspicious/noExplicitAny: what comes is shaped by the .proto files that were loaded.
  return new Promise<any>((resolve, reject) => {
    client(service)[method]!(request, metadata, options, (error, response) =>
      error ? reject(error) : resolve(response),
    )
  })
}

const admin = { authorization: `Api-Key ${adminKey}` }

describe('unary', () => {
  it('answers', async () => {
    const response = await call('SearchService', 'Search', { slug: 'red-public', q: 'asyncio' })
    expect(response).toMatchObject({ results: [{ title: 'asyncio', score: 0.5 }] })
  })

  it('reads the key from the metadata', async () => {
    const request = { slug: 'red-private', q: 'x' }
    await expect(call('SearchService', 'Search', request)).rejects.toMatchObject({
      code: grpc.status.UNAUTHENTICATED,
    })
    await expect(call('SearchService', 'Search', request, admin)).resolves.toBeDefined()
  })

  it('tells errors with their code, sentence and detail', async () => {
    const error = await call('SearchService', 'Search', { slug: 'red-public', q: '' }).catch(
      (reason) => reason,
    )
    expect(error).toMatchObject({ code: grpc.status.INVALID_ARGUMENT, details: 'q is required.' })
    const [detail] = error.metadata.get('grpc-status-details-bin')
    expect(detail.toString('latin1')).toContain('lectern.v1.ErrorDetail')
  })

  it('hides what nobody foresaw, and logs it', async () => {
    const error = await call('SearchService', 'Search', { slug: 'red-public', q: 'boom' }).catch(
      (reason) => reason,
    )
    expect(error).toMatchObject({ code: grpc.status.INTERNAL, details: 'internal error' })
    expect(JSON.stringify(error.metadata.toJSON())).not.toContain('/var/lib')
    expect(logged.at(-1)).toMatchObject({ message: 'secret path /var/lib/lectern' })
  })

  it('answers unimplemented where there is no handler', async () => {
    const request = { slug: 'red-private', chat_uuid: 'x' }
    await expect(call('ChatService', 'DeleteChat', request, admin)).rejects.toMatchObject({
      code: grpc.status.UNIMPLEMENTED,
    })
  })
})

describe('server streaming', () => {
  const watch = (sync_uuid: string, options: grpc.CallOptions = {}) => {
    const metadata = new grpc.Metadata()
    metadata.set('authorization', admin.authorization)
    return client('SyncService').WatchSync!({ slug: 'red-public', sync_uuid }, metadata, options)
  }

  it('streams', async () => {
    const fetched: (number | undefined)[] = []
    for await (const { run } of watch('')) fetched.push(run.pages?.fetched)
    expect(fetched).toEqual([1, 2, 3])
  })

  it('hides and logs an error that comes while the stream is read', async () => {
    const seen: string[] = []
    const read = async () => {
      for await (const { run } of watch('boom')) seen.push(run.uuid)
    }
    await expect(read()).rejects.toMatchObject({ code: grpc.status.INTERNAL, details: 'internal error' })
    expect(seen).toEqual(['before'])
    expect(logged.at(-1)).toMatchObject({ message: 'while iterating' })
  })

  it('tells a handler of the deadline, and the client', async () => {
    const before = logged.length
    const read = async () => {
      for await (const _ of watch('forever', { deadline: Date.now() + 300 }));
    }
    await expect(read()).rejects.toMatchObject({ code: grpc.status.DEADLINE_EXCEEDED })
    expect(logged.length).toBe(before)
  })

  it('tells a handler that the client has gone', async () => {
    const before = stopped.length
    const stream = watch('forever')
    stream.on('error', () => {})
    await new Promise((resolve) => stream.once('data', resolve))
    stream.cancel()
    await expect.poll(() => stopped.length, { timeout: 5_000 }).toBe(before + 1)
  })
})

it('ends open streams with `unavailable` when the server closes', async () => {
  const own = await openTestServer()
  const one = new definitions.lectern.v1.SyncService!(own.authority, grpc.credentials.createInsecure())
  const metadata = new grpc.Metadata()
  metadata.set('authorization', admin.authorization)
  const watchSync = (one as unknown as { WatchSync: Stream }).WatchSync.bind(one)
  const stream = watchSync({ slug: 'red-public', sync_uuid: 'forever' }, metadata)
  await new Promise((resolve) => stream.once('data', resolve))
  const ended = new Promise((resolve) => stream.once('error', resolve))
  await own.close()
  expect(await ended).toMatchObject({ code: grpc.status.UNAVAILABLE })
  one.close()
})

describe('client streaming', () => {
  const upload = (pieces: object[], header: Record<string, string> = admin) => {
    const metadata = new grpc.Metadata()
    for (const [name, value] of Object.entries(header)) metadata.set(name, value)
    return new Promise((resolve, reject) => {
      const send = (
        client('SourceService').UploadFiles as unknown as (
          metadata: grpc.Metadata,
          done: (error: grpc.ServiceError | null, response: unknown) => void,
        ) => grpc.ClientWritableStream<object>
      )(metadata, (error, response) => (error ? reject(error) : resolve(response)))
      for (const piece of pieces) send.write(piece)
      send.end()
    })
  }

  it('takes the project from the first message and passes on all of them', async () => {
    const response = await upload([{ slug: 'red-private', file_name: 'a.md' }, { file_name: 'b.md' }])
    expect(response).toMatchObject({ results: [{ name: 'a.md' }, { name: 'b.md' }] })
  })

  it('refuses before the first piece is read, and a bad piece anywhere', async () => {
    await expect(upload([{ slug: 'red-private', file_name: 'a.md' }], {})).rejects.toMatchObject({
      code: grpc.status.UNAUTHENTICATED,
    })
    const bad = [{ slug: 'red-private', file_name: 'a.md' }, { file_name: 'b'.repeat(300) }]
    await expect(upload(bad)).rejects.toMatchObject({ code: grpc.status.INVALID_ARGUMENT })
  })
})
