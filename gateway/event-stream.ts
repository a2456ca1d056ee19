// Answers of a streaming RPC: as server-sent events (`text/event-stream`), or as a file.
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
export async function openStream(
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

  /** Throws where the file cannot be completed, so that its reader does not take it for whole. */
  async function* toPieces(): AsyncGenerator<Uint8Array> {
    for (let result = first; !result.done; result = await answers.next())
      yield (result.value as Message & { data: Uint8Array }).data
  }
  const end = () => leaving.abort()
  return {
    status: row.status,
    // nginx passes each piece on at once.
    headers: { ...toHeaders(row), 'x-accel-buffering': 'no' },
    body: '',
    stream: Object.assign(row.file === undefined ? toEvents() : toPieces(), {
      /** Also before the first event was asked for. */
      async return() {
        end()
        return { done: true as const, value: undefined }
      },
    }),
  }
}

function toHeaders({ file }: Row): Record<string, string> {
  if (file === undefined) return { 'content-type': 'text/event-stream' }
  const disposition = `attachment; filename="${file}"`
  return { 'content-type': 'application/octet-stream', 'content-disposition': disposition }
}
