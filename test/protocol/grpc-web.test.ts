// gRPC-Web as a browser speaks it to a real core: fetch over HTTP/1.1, from another origin, with frames made by hand.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SearchRequestSchema, SearchResponseSchema } from '../../gen/lectern/v1/search_pb.js'
import { RunStatus, WatchSyncRequestSchema, WatchSyncResponseSchema } from '../../gen/lectern/v1/sync_pb.js'
import { admin, openRealCore, type RealCore, slugs } from './real-core.ts'

const origin = 'https://docs.example.com'
let core: RealCore

beforeAll(async () => {
  core = await openRealCore()
}, 60_000)
afterAll(() => core.close())

/** A frame: one byte of flags, four of length, the message. */
function toFrame(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(5 + message.length)
  new DataView(frame.buffer).setUint32(1, message.length)
  frame.set(message, 5)
  return frame
}

function readFrames(body: Uint8Array): { messages: Uint8Array[]; trailer: string } {
  const messages: Uint8Array[] = []
  let trailer = ''
  for (let at = 0; at < body.length; ) {
    const length = new DataView(body.buffer, body.byteOffset).getUint32(at + 1)
    const part = body.subarray(at + 5, at + 5 + length)
    if (body[at] === 0x80) trailer = new TextDecoder().decode(part)
    else messages.push(part)
    at += 5 + length
  }
  return { messages, trailer }
}

async function call(method: string, message: Uint8Array, header: Record<string, string> = {}) {
  const response = await fetch(`${core.url}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1', origin, ...header },
    body: toFrame(message),
  })
  return { response, ...readFrames(new Uint8Array(await response.arrayBuffer())) }
}

it('answers the preflight of another origin', async () => {
  const response = await fetch(`${core.url}/lectern.v1.SearchService/Search`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const allowed = response.headers.get('access-control-allow-headers')!.toLowerCase()
  for (const name of ['content-type', 'x-grpc-web', 'authorization']) expect(allowed).toContain(name)
})

it('answers a unary call', async () => {
  const request = create(SearchRequestSchema, { slug: slugs.open, q: 'asyncio' })
  const { response, messages, trailer } = await call(
    'lectern.v1.SearchService/Search',
    toBinary(SearchRequestSchema, request),
  )
  expect(response.headers.get('content-type')).toBe('application/grpc-web+proto')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(messages.map((bytes) => fromBinary(SearchResponseSchema, bytes).results[0]?.pageTitle)).toEqual([
    'asyncio',
  ])
  expect(trailer).toContain('grpc-status: 0')
})

it('streams', async () => {
  const request = create(WatchSyncRequestSchema, { slug: slugs.open, syncUuid: core.run })
  const { messages, trailer } = await call(
    'lectern.v1.SyncService/WatchSync',
    toBinary(WatchSyncRequestSchema, request),
    admin,
  )
  const runs = messages.map((bytes) => fromBinary(WatchSyncResponseSchema, bytes).run)
  expect(runs).toMatchObject([{ uuid: core.run, status: RunStatus.COMPLETED, pages: { added: 3 } }])
  expect(trailer).toContain('grpc-status: 0')
})

it('tells errors where a script can read them', async () => {
  const request = create(SearchRequestSchema, { slug: 'unknown', q: 'x' })
  const { response, trailer } = await call(
    'lectern.v1.SearchService/Search',
    toBinary(SearchRequestSchema, request),
  )
  const told = response.headers.get('grpc-status') ?? /grpc-status: (\d+)/.exec(trailer)?.[1]
  expect(told).toBe('5')
  expect(response.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('grpc-status')
})
