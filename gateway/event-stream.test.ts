// Server-sent events: heartbeats, failures and a reader who leaves, with a core that the test plays.
import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SyncService, WatchSyncResponseSchema } from '../gen/lectern/v1/sync_pb.js'
import { openStream } from './rest.ts'
import { restV2 } from './rest-v2.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const row = restV2.find(({ call }) => call === SyncService.method.watchSync)!

/** Returns the streamed response. The core sends the first message, and then what the test says. */
async function open(rest: (signal: AbortSignal) => AsyncGenerator<never>) {
  let signal!: AbortSignal
  const core = {
    async stream(_rpc: unknown, _input: unknown, context: { signal: AbortSignal }) {
      signal = context.signal
      return (async function* () {
        yield create(WatchSyncResponseSchema, { url: 'https://docs.test/a' })
        yield* await rest(signal)
      })()
    },
  }
  const context = { signal: new AbortController().signal }
  const closing = new AbortController()
  const { stream } = await openStream(core as never, row, {} as never, context as never, {
    closing: closing.signal,
    write: ({ url }: never) => ({ url }),
  })
  return { stream: stream!, closing, signal: () => signal }
}

const untilAborted = async function* (signal: AbortSignal): AsyncGenerator<never> {
  signal.throwIfAborted()
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

test('sends a comment while nothing changes', async () => {
  const { stream } = await open(untilAborted)
  expect((await stream.next()).value).toBe('data: {"url":"https://docs.test/a"}\n\n')
  for (let n = 0; n < 3; n++) {
    const next = stream.next()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await next).toEqual({ done: false, value: ':\n\n' })
  }
})

test('sends a failure of the core as an event, with the body of other errors', async () => {
  const { stream } = await open(() => Promise.reject(new Error('secret')) as never)
  await stream.next()
  expect((await stream.next()).value).toBe(
    'event: error\ndata: {"error":"internal error","code":"internal"}\n\n',
  )
  expect((await stream.next()).done).toBe(true)
})

test('ends the call when the reader leaves, also before the first read, and when the gateway closes', async () => {
  const left = await open(untilAborted)
  await left.stream.return(undefined)
  expect(left.signal().aborted).toBe(true)
  const closed = await open(untilAborted)
  await closed.stream.next()
  const next = closed.stream.next()
  closed.closing.abort()
  expect((await next).done).toBe(true)
})
