// gRPC by a stock client (@grpc/grpc-js) that reads the .proto files itself: on a real core, and for misbehaving
// handlers on a small one.
import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { adminKey, logged, openTestServer, stopped } from './core.ts'
import { admin, type RealCore, sharedCore, slugs } from './real-core.ts'

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
) => grpc.ClientReadableStream<{ run: { uuid: string; status: string } }>

const definitions = grpc.loadPackageDefinition(
  loadSync(
    ['search', 'sync', 'chat', 'source', 'document', 'error'].map((name) => `lectern/v1/${name}.proto`),
    {
      includeDirs: ['proto', 'proto/vendor'],
      keepCase: true,
      enums: String,
    },
  ),
) as unknown as { lectern: { v1: Record<string, grpc.ServiceClientConstructor> } }

let core: RealCore
let small: Awaited<ReturnType<typeof openTestServer>>
const clients: grpc.Client[] = []

beforeAll(async () => {
  ;[core, small] = await Promise.all([sharedCore(), openTestServer()])
})
afterAll(async () => {
  for (const client of clients) client.close()
  await small.close()
})

function client(service: string, authority = core.authority, options: grpc.ChannelOptions = {}) {
  const one = new definitions.lectern.v1[service]!(authority, grpc.credentials.createInsecure(), options)
  clients.push(one)
  return one as unknown as Record<string, Call & Stream>
}

function toMetadata(header: Record<string, string>) {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(header)) metadata.set(name, value)
  return metadata
}

function call(
  service: string,
  method: string,
  request: object,
  header: Record<string, string> = {},
  by = client(service),
) {
  // biome-ignore lint/suspicious/noExplicitAny: the loaded .proto files define the messages
  return new Promise<any>((resolve, reject) => {
    by[method]!(request, toMetadata(header), {}, (error, response) =>
      error ? reject(error) : resolve(response),
    )
  })
}

const smallAdmin = { authorization: `Api-Key ${adminKey}` }

describe('unary', () => {
  it('searches crawled pages, and reads a found document', async () => {
    const { results } = await call('SearchService', 'Search', { slug: slugs.open, q: 'asyncio' })
    expect(results[0]).toMatchObject({ page_title: 'asyncio', source_type: 'SOURCE_TYPE_SITE' })
    expect(results[0].url).toContain(`${core.site.url}asyncio.html`)
    expect(results[0].score).toBeGreaterThan(0)
    const request = { slug: slugs.open, document_id: results[0].document_id }
    const { document } = await call('DocumentService', 'GetDocument', request)
    expect(document).toMatchObject({ title: 'asyncio' })
    expect(document.chunks[0].content).toContain('queues to share work')
  })

  it('returns errors with code, sentence and detail', async () => {
    const error = await call('SearchService', 'Search', { slug: slugs.open, q: '' }).catch((reason) => reason)
    expect(error).toMatchObject({ code: grpc.status.INVALID_ARGUMENT, details: 'q is required.' })
    const [detail] = error.metadata.get('grpc-status-details-bin')
    expect(detail.toString('latin1')).toContain('lectern.v1.ErrorDetail')
  })

  it('hides and logs an unexpected error', async () => {
    const by = client('SearchService', small.authority)
    const request = { slug: 'red-public', q: 'boom' }
    const error = await call('SearchService', 'Search', request, {}, by).catch((reason) => reason)
    expect(error).toMatchObject({ code: grpc.status.INTERNAL, details: 'internal error' })
    expect(JSON.stringify(error.metadata.toJSON())).not.toContain('/var/lib')
    expect(logged.at(-1)).toMatchObject({ message: 'secret path /var/lib/lectern' })
  })
})

describe('server streaming', () => {
  const watch = (sync_uuid: string, options: grpc.CallOptions = {}) =>
    client('SyncService').WatchSync!({ slug: slugs.open, sync_uuid }, toMetadata(admin), options)
  const watchSmall = (sync_uuid: string) =>
    client('SyncService', small.authority).WatchSync!(
      { slug: 'red-public', sync_uuid },
      toMetadata(smallAdmin),
    )

  it('follows a run to its end', async () => {
    const held = await core.beginHeld()
    const seen = []
    for await (const { run } of watch(held.run)) {
      seen.push(run.status)
      held.release()
    }
    expect(seen[0]).toBe('RUN_STATUS_RUNNING')
    expect(seen.at(-1)).toBe('RUN_STATUS_COMPLETED')
  })

  it('answers a question from crawled pages', async () => {
    const request = { slug: slugs.open, message: 'How do I share work between coroutines?', progress: true }
    const stream = client('ChatService').SendMessage!(request) as unknown as AsyncIterable<{
      // biome-ignore lint/suspicious/noExplicitAny: the loaded .proto files define the messages
      event: any
    }>
    const events = []
    for await (const { event } of stream) events.push(event)
    const { final } = events.find((event) => event.final)!
    expect(final.ai_message.message).toContain('queues to share work')
    expect(final.ai_message.sources[0].url).toContain(`${core.site.url}asyncio.html`)
    expect(events.some((event) => event.status?.stage)).toBe(true)
  })

  it('hides and logs an error in mid-stream', async () => {
    const seen: string[] = []
    const read = async () => {
      for await (const { run } of watchSmall('boom')) seen.push(run.uuid)
    }
    await expect(read()).rejects.toMatchObject({ code: grpc.status.INTERNAL, details: 'internal error' })
    expect(seen).toEqual(['before'])
    expect(logged.at(-1)).toMatchObject({ message: 'while iterating' })
  })

  it('aborts a handler when the client disconnects', async () => {
    const before = stopped.length
    const stream = watchSmall('forever')
    stream.on('error', () => {})
    await new Promise((resolve) => stream.once('data', resolve))
    stream.cancel()
    await expect.poll(() => stopped.length).toBe(before + 1)
  })

  it('aborts a handler at the deadline', async () => {
    const [stops, before] = [stopped.length, logged.length]
    // Client and core are in this process, so the time passes for both once the handler has started.
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const options = { deadline: Date.now() + 60_000 }
    const by = client('SyncService', small.authority)
    const request = { slug: 'red-public', sync_uuid: 'forever' }
    const stream = by.WatchSync!(request, toMetadata(smallAdmin), options)
    const ended = new Promise((resolve) => stream.once('error', resolve))
    await new Promise((resolve) => stream.once('data', resolve))
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    expect(await ended).toMatchObject({ code: grpc.status.DEADLINE_EXCEEDED })
    await expect.poll(() => stopped.length).toBe(stops + 1)
    expect(logged.length).toBe(before)
  })
})

describe('client streaming', () => {
  const upload = (pieces: object[], header: Record<string, string> = smallAdmin) => {
    return new Promise((resolve, reject) => {
      const send = (
        client('SourceService', small.authority).UploadSources as unknown as (
          metadata: grpc.Metadata,
          done: (error: grpc.ServiceError | null, response: unknown) => void,
        ) => grpc.ClientWritableStream<object>
      )(toMetadata(header), (error, response) => (error ? reject(error) : resolve(response)))
      for (const piece of pieces) send.write(piece)
      send.end()
    })
  }

  it('takes the project from the first message and forwards all messages', async () => {
    const response = await upload([
      { slug: 'red-private', file: { name: 'a.md' } },
      { file: { name: 'b.md' } },
    ])
    expect(response).toMatchObject({ results: [{ name: 'a.md' }, { name: 'b.md' }] })
  })

  it('rejects before reading the first piece, and an invalid piece anywhere', async () => {
    await expect(upload([{ slug: 'red-private', file: { name: 'a.md' } }], {})).rejects.toMatchObject({
      code: grpc.status.UNAUTHENTICATED,
    })
    const bad = [{ slug: 'red-private', file: { name: 'a.md' } }, { fields: { site_name: 'b'.repeat(300) } }]
    await expect(upload(bad)).rejects.toMatchObject({ code: grpc.status.INVALID_ARGUMENT })
  })
})

it('ends open streams with `unavailable` when the process stops', async () => {
  const held = await core.beginHeld()
  const request = { slug: slugs.open, sync_uuid: held.run }
  const stream = client('SyncService').WatchSync!(request, toMetadata(admin))
  await new Promise((resolve) => stream.once('data', resolve))
  const ended = new Promise((resolve) => stream.once('error', resolve))
  await core.lectern.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: grpc.status.UNAVAILABLE })
  held.release()
})
