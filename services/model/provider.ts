// Requests to providers of models: one request each, the answer as a stream of events. Limits how long an answer may be silent and
// how much it may say, and turns each failure into a ModelError.
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
  type Quotation,
} from './model.ts'

/** Characters of one answer, some hundred times a long one. */
const maxCharacters = 200_000
/** Characters of one event: an answer of 200,000 characters, each written as an escape, and more. */
const maxEvent = 2_000_000
/** Bytes of one answer on the wire, events and thoughts included. */
const maxBytes = 64 * 1024 * 1024
/** Milliseconds to wait for the closing events once the reason is known. */
const closingTimeout = 1000

/** Without timeouts: the callers watch for silence. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxBytes })

/** As the settings name it, with its timeout in seconds. */
export interface ProviderSettings {
  provider: 'openai-compatible' | 'openai' | 'anthropic'
  /** Base address, without a closing slash; null: the provider's own. Never null for openai-compatible. */
  url: string | null
  model: string
  /** Never null but for openai-compatible. */
  key: string | null
  /** Seconds that the provider may stay silent. */
  timeout: number
}

/** Base addresses where the settings name none. */
export const providerBases = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' }

export interface Endpoint {
  /** Base address. */
  url: string
  /** Sent as a bearer token, and never part of an error's cause; null: none is sent. */
  key: string | null
  headers?: Record<string, string>
}

/**
 * Posts JSON; resolves when the provider begins to answer with a status of success. A redirect is a failure: following it would
 * send the key and the passages to an address that nobody configured.
 */
export async function post(
  { url, key, headers }: Endpoint,
  path: string,
  content: object,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData['body']> {
  const { origin, pathname, search } = new URL(url)
  const request = agent.request({
    ...{ origin, path: pathname.replace(/\/+$/, '') + path + search, method: 'POST', signal },
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(content),
  })
  // While it connects, undici ignores its signal.
  const { statusCode, body } = await pTimeout(request, { milliseconds: Number.POSITIVE_INFINITY, signal })
  // Its reader gets the error too.
  body.on('error', () => {})
  if (statusCode < 300) return body
  const text = await body.text().catch(() => '')
  throw Object.assign(new Error(`${statusCode} ${text}`), { code: statusCode })
}

/** How a provider is asked for an answer, and what each event of the answer says. */
interface StreamingModel {
  name: string
  endpoint: Endpoint
  path: string
  /** Seconds without an event, before the first one and between any two. */
  timeout: number
  toContent(request: AnswerRequest): object
  /** A reader of one answer's events, which may keep state between them. Throws on an event that is an error. */
  createReader(request: AnswerRequest): (event: EventSourceMessage) => EventText
  citesItself?: true
}

/** What an event says: new text, what the text so far rests on, or how the answer ends. Thoughts say nothing. */
export interface EventText {
  text?: string
  citations?: Quotation[]
  end?: ModelEnd
}

export function createStreamingModel(model: StreamingModel): Model {
  const { name, citesItself } = model
  return {
    name,
    ...(citesItself && { citesItself }),
    answer: (request, signal) => streamAnswer(model, request, signal),
  }
}

async function* streamAnswer(
  { endpoint, path, timeout, toContent, createReader }: StreamingModel,
  request: AnswerRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted()
  const leave = new AbortController()
  const stop = AbortSignal.any([signal, leave.signal])
  const silence = watchSilence(timeout * 1000, () => leave.abort(new ModelError('silent')))
  let hasBegun = false
  let characters = 0
  let end: ModelEnd | undefined
  const readEvent = createReader(request)
  try {
    const body = await silence.limit(post(endpoint, path, toContent(request), stop))
    hasBegun = true
    const pieces: AsyncIterator<string> = body.setEncoding('utf8')[Symbol.asyncIterator]()
    const nextEvents = createEventReader(pieces)
    while (!end) {
      for (const event of await silence.limit(nextEvents())) {
        stop.throwIfAborted()
        const said = readEvent(event)
        if (said.text) {
          characters += said.text.length
          if (characters > maxCharacters) throw new Error('the answer has no end')
          yield { type: 'text', text: said.text }
        }
        for (const citation of said.citations ?? []) yield { type: 'citation', ...citation }
        end ??= said.end
        if (end) break
      }
    }
    stop.throwIfAborted()
    drain(pieces, () => body.destroy())
    yield { type: 'end', reason: end }
  } catch (error) {
    stop.throwIfAborted()
    throw toModelError(error, hasBegun, endpoint.key)
  } finally {
    silence.end()
    if (!end) leave.abort()
  }
}

/** The next whole events, at least one: other signs of life say nothing. Rejects at the end of the stream. */
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

/** Calls `onSilence` when a wait takes longer than `timeout` milliseconds. Between two waits the reader is slow, not the provider. */
function watchSilence(timeout: number, onSilence: () => void) {
  let isWaiting = false
  const timer = setTimeout(() => isWaiting && onSilence(), timeout)
  return {
    async limit<T>(work: Promise<T>): Promise<T> {
      timer.refresh()
      isWaiting = true
      const result = await work
      isWaiting = false
      return result
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

/** Statuses that do not mean what their hundred means: see `toFault`. */
const faults: Record<number, ModelFault> = { 408: 'unavailable', 425: 'unavailable', 429: 'rate_limited' }

/** `hasBegun`: the answer had begun, so that a lost connection broke it off. `key` is never in the cause. */
export function toModelError(error: unknown, hasBegun: boolean, key: string | null): ModelError {
  if (error instanceof ModelError) return error
  // Some servers answer 200 and put the status into an error event.
  const status = Number((error as { code?: unknown }).code)
  return new ModelError(toFault(status) ?? (hasBegun ? 'broken' : 'unavailable'), toCause(error, key))
}

/** Redirects and other 4xx are refusals: a retry gets the same answer. Null if the status is no failure. */
function toFault(status: number): ModelFault | null {
  if (!(status >= 300 && status < 600)) return null
  return faults[status] ?? (status < 500 ? 'refused' : 'unavailable')
}

/** The error of an event: providers send a message, some also a code. */
export function toEventError(event: unknown): Error {
  const { message, code } = Object(event) as { message?: unknown; code?: unknown }
  return Object.assign(new Error(String(message ?? JSON.stringify(event))), { code })
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
