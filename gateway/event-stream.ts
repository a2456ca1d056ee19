// Answers of a streaming RPC as server-sent events (`text/event-stream`).
import type { Message } from '@bufbuild/protobuf'
import pTimeout from 'p-timeout'
import type { CallContext, CoreClient } from './core-client.ts'
import { toErrorAnswer } from './errors.ts'
import type { Answer } from './http.ts'
import type { Json } from './json/write.ts'
import type { Row } from './rest-row.ts'

/** Proxies close a connection on which nothing comes for a minute. */
const heartbeatInterval = 15_000

/** Throws ConnectError where the call fails before its first answer. `closing`: ends all streams. */
export async function openEventStream(
  core: CoreClient,
  row: Row,
  message: Message,
  context: CallContext,
  { closing, write }: { closing: AbortSignal; write(answer: Message): Json },
): Promise<Answer> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, closing, leaving.signal])
  const answers = (await core.stream(row.call, message, { ...context, signal }))[Symbol.asyncIterator]()
  const first = await answers.next()

  async function* toEvents(): AsyncGenerator<string> {
    try {
      for (let next = Promise.resolve(first); ; ) {
        const result = await pTimeout(next, { milliseconds: heartbeatInterval, fallback: () => null })
        if (result?.done) return
        yield result === null ? ':\n\n' : `data: ${JSON.stringify(write(result.value))}\n\n`
        if (result !== null) next = answers.next()
      }
    } catch (error) {
      if (!signal.aborted) yield `event: error\ndata: ${toErrorAnswer(error).body}\n\n`
    }
  }
  const events = toEvents()
  const end = () => leaving.abort()
  return {
    status: row.status,
    // nginx passes each event on at once.
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: '',
    stream: Object.assign(events, {
      /** Also before the first event was asked for. */
      async return() {
        end()
        return { done: true as const, value: undefined }
      },
    }),
  }
}
