// Reads server-sent events as the console does: with fetch, to send a key.
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { adminKey } from './lectern-process.ts'

export interface Watched {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any event
  events: AsyncIterable<any>
  leave(): void
}

/** The parsed data of each event. */
export async function watch(url: string): Promise<Watched> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Api-Key ${adminKey}` },
    signal: leaving.signal,
  })
  const events = response
    .body!.pipeThrough(new TextDecoderStream() as never)
    .pipeThrough(new EventSourceParserStream())
  return {
    status: response.status,
    headers: response.headers,
    events: (async function* () {
      for await (const event of events as unknown as AsyncIterable<{ data: string }>) {
        yield JSON.parse(event.data)
      }
    })(),
    leave: () => leaving.abort(),
  }
}
