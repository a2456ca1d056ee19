// What every provider's answer is held to: how it is fetched, how long it may be silent, how much it may say, how it ends, and what
// a failure means to the port.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import pTimeout from 'p-timeout'
import { Agent, type Dispatcher } from 'undici'
import {
  type AnswerRequest,
  type Model,
  type ModelEnd,
  ModelError,
  type ModelFault,
  type ModelMessage,
  type ModelPart,
} from './model.ts'

/** Characters of one answer, some hundred times a long one. */
const maxCharacters = 200_000

/** Characters of one event: an answer of 200,000 characters, each written as an escape, and more. */
const maxEvent = 2_000_000

/** Milliseconds to wait for the closing events once the reason is known. */
const closingTimeout = 1000

/** A provider as its client speaks: the answer to a request, and what each event of it says. */
interface AnswerSource {
  name: string
  /** Never part of an error's cause. */
  key: string | null
  /** Milliseconds without an event, before the first one and between any two. */
  silentTimeout: number
  /** Settles when the provider begins to answer; ends the HTTP request at once on the signal's abort. */
  open(request: AnswerRequest, signal: AbortSignal): Promise<Response>
  /** A reader of one answer's events, which may keep state between them. Throws on an event that is an error. */
  createReader(): (event: EventSourceMessage) => EventText
}

/** What an event says: new text, or how the answer ends. Thoughts say nothing. */
export interface EventText {
  text?: string
  end?: ModelEnd
}

export function createStreamingModel(source: AnswerSource): Model {
  return { name: source.name, answer: (request, signal) => streamAnswer(source, request, signal) }
}

async function* streamAnswer(
  source: AnswerSource,
  request: AnswerRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted()
  const stop = new AbortController()
  const leave = () => stop.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const watch = watchSilence(source.silentTimeout, () => stop.abort(new ModelError('silent')))
  let begun = false
  let characters = 0
  let end: ModelEnd | undefined
  const read = source.createReader()
  try {
    const response = await watch.wait(source.open(request, stop.signal))
    begun = true
    const { content } = response as ProviderResponse
    const pieces: AsyncIterator<string> = content.setEncoding('utf8')[Symbol.asyncIterator]()
    const nextEvents = createEventReader(pieces)
    while (!end) {
      for (const event of await watch.wait(nextEvents())) {
        stop.signal.throwIfAborted()
        const said = read(event)
        if (said.text) {
          characters += said.text.length
          if (characters > maxCharacters) throw new Error('the answer has no end')
          yield { type: 'text', text: said.text }
        }
        end ??= said.end
        if (end) break
      }
    }
    stop.signal.throwIfAborted()
    drain(pieces, () => content.destroy())
    yield { type: 'end', reason: end }
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason
    throw toModelError(error, begun, source.key)
  } finally {
    watch.end()
    signal.removeEventListener('abort', leave)
    if (!end) stop.abort()
  }
}

/** The next events that are whole, at least one: other signs of life say nothing. Rejects at the end of the stream. */
function createEventReader(pieces: AsyncIterator<string>): () => Promise<EventSourceMessage[]> {
  let events: EventSourceMessage[] = []
  const parser = createParser({
    maxBufferSize: maxEvent,
    onEvent: (event) => events.push(event),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
  })
  return async () => {
    events = []
    while (events.length === 0) {
      const { done, value } = await pieces.next()
      if (done) throw new Error('the stream ended without a reason')
      parser.feed(value)
    }
    return events
  }
}

/**
 * Calls `onSilence` once when a wait takes longer than `timeout` milliseconds; the time between two waits, in which the reader is
 * slow, does not count. One timer lasts for many waits: it looks at when the present one began.
 */
function watchSilence(timeout: number, onSilence: () => void) {
  let since: number | null = null
  const look = () => {
    const left = since === null ? timeout : since + timeout - performance.now()
    if (left > 0) timer = setTimeout(look, left)
    else onSilence()
  }
  let timer = setTimeout(look, timeout)
  return {
    async wait<T>(work: Promise<T>): Promise<T> {
      since = performance.now()
      const done = await work
      since = null
      return done
    },
    end: () => clearTimeout(timer),
  }
}

/** Reads what follows the reason, so that the connection can be used again. Errors do not matter any more. */
async function drain(pieces: AsyncIterator<string>, close: () => void): Promise<void> {
  const timer = setTimeout(close, closingTimeout)
  try {
    while (!(await pieces.next()).done);
  } catch {
  } finally {
    clearTimeout(timer)
  }
}

/** Only some models continue a last message of their own; all of them follow a request in words. */
const goOn: ModelMessage = {
  role: 'user',
  content:
    'Your answer was cut off. Go on with it exactly where it stops: begin with the very next character, repeat ' +
    'nothing, and say nothing about the cut.',
}

/** The conversation as both providers take it: it begins and ends with the user, and no message is empty. */
export function toConversation(messages: ModelMessage[]): ModelMessage[] {
  const full = messages.filter((message) => message.content.trim() !== '')
  const begin = full.findIndex((message) => message.role === 'user')
  const conversation = full.slice(Math.max(begin, 0))
  return conversation.at(-1)?.role === 'assistant' ? [...conversation, goOn] : conversation
}

/** Bytes of one answer on the wire, events and thoughts included. */
const maxBytes = 64 * 1024 * 1024

type Content = Dispatcher.ResponseData['body']

/**
 * A Response for the providers' clients whose body is read as a stream of Node: as a web stream, each token of an answer
 * would pass a dozen promises before anyone reads it.
 */
class ProviderResponse extends Response {
  /** In place of `body`, which is null. */
  readonly content: Content
  override readonly text = () => this.content.text()
  override readonly json = () => this.content.json()

  constructor(content: Content, init: ResponseInit) {
    super(null, init)
    // Its reader gets the error, too.
    this.content = content.on('error', () => {})
  }
}

/**
 * A fetch for the providers' clients; its responses are ProviderResponses. A redirect is handed back as the answer it is:
 * following it would send the key and the passages to an address that nobody configured. The signal's abort ends the
 * request whatever it waits for.
 */
export function createProviderFetch(): typeof globalThis.fetch {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxBytes })
  return async (url, { method, headers, body, signal } = {}) => {
    const { origin, pathname, search } = new URL(String(url))
    signal?.throwIfAborted()
    const asked = agent.request({
      ...{ origin, path: pathname + search, method: method as Dispatcher.HttpMethod },
      ...{ headers: headers as Headers, body: body as string, signal: signal ?? null },
    })
    // While it connects, undici does not hear its signal.
    const answer = await (signal
      ? pTimeout(asked, { milliseconds: Number.POSITIVE_INFINITY, signal })
      : asked)
    const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return new ProviderResponse(answer.body, { status: answer.statusCode, headers: named })
  }
}

/** Statuses that do not mean what their hundred means: see `toFault`. */
const faults: Record<number, ModelFault> = { 408: 'unavailable', 425: 'unavailable', 429: 'rate_limited' }

/** What both clients call the same in their errors. */
interface ClientError {
  status?: number | undefined
  /** The code in the body: some servers answer 200 and put the status into an error event. */
  code?: unknown
}

/**
 * `begun`: whether the answer's headers had come, so that a lost connection broke it off. `key` is never in the cause.
 */
export function toModelError(error: unknown, begun: boolean, key: string | null): ModelError {
  if (error instanceof ModelError) return error
  return new ModelError(toFault(error as ClientError, begun), toCause(error, key))
}

/** The error that an event stands for: providers put a message into it, and some a code. */
export function toEventError(event: unknown): Error {
  const { message, code } = Object(event) as { message?: unknown; code?: unknown }
  return Object.assign(new Error(String(message ?? JSON.stringify(event))), { code })
}

/** Redirects and every 4xx of no meaning of its own: asking again gets the same answer. */
function toFault({ status, code }: ClientError, begun: boolean): ModelFault {
  const answer = status ?? Number(code)
  if (answer >= 300 && answer < 600) return faults[answer] ?? (answer < 500 ? 'refused' : 'unavailable')
  return begun ? 'broken' : 'unavailable'
}

/** The messages of the error and its causes in one line, without the key, which some providers put into them. */
function toCause(error: unknown, key: string | null): Error {
  const messages: string[] = []
  for (let each = error; each instanceof Error && messages.length < 5; each = each.cause) {
    messages.push(`${each.constructor.name}: ${each.message}`)
  }
  const line = messages.join(' ← ').replace(/\s+/g, ' ')
  return new Error((key ? line.replaceAll(key, '[key]') : line).slice(0, 1000))
}
