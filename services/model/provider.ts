// Sends requests to model providers and reads answers as streams of events. Limits the silence and the length of an answer, and
// converts failures to ModelErrors. Never retries.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import pTimeout from 'p-timeout'
import { Agent, type Dispatcher } from 'undici'
import {
  type ModelEnd,
  ModelError,
  type ModelFault,
  type ModelMessage,
  type ModelPart,
  type Quotation,
} from './model.ts'

/** Maximum characters of an answer: about a hundred times a long one. */
const maxCharacters = 200_000
/** Maximum characters of an event: more than an answer of 200,000 escaped characters. */
const maxEvent = 2_000_000
/** Maximum bytes of a response, including thinking. */
const maxBytes = 64 * 1024 * 1024
/** Milliseconds to wait for the remaining events after the stop reason. */
const closingTimeout = 1000

/** No timeouts: callers have their own. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxBytes })

/** The settings of a provider. */
export interface ProviderSettings {
  provider: 'openai-compatible' | 'openai' | 'anthropic'
  /** Base address, without a trailing slash; null: the provider's default. Never null for openai-compatible. */
  url: string | null
  model: string
  /** Null only for openai-compatible. */
  key: string | null
  /** Maximum seconds of silence. */
  timeout: number
}

/** Default base addresses. */
export const providerBases = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' }
export const anthropicHeaders = { 'anthropic-version': '2026-10-21' }

export interface Endpoint {
  /** Base address. */
  url: string
  /** Bearer token, which error causes never contain; null: none. */
  key: string | null
  headers?: Record<string, string>
}

/**
 * Posts JSON. Resolves with the body of a successful response. Rejects for a redirect: following it would send the key and the
 * passages to an address that the operator did not configure.
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
  // undici ignores its signal while it connects.
  const { statusCode, body } = await pTimeout(request, { milliseconds: Number.POSITIVE_INFINITY, signal })
  // The reader gets the error too.
  body.on('error', () => {})
  if (statusCode < 300) return body
  const text = await body.text().catch(() => '')
  throw Object.assign(new Error(`${statusCode} ${text}`), { code: statusCode })
}

/** A request for an answer, and the reader of its events. */
interface ProviderCall {
  endpoint: Endpoint
  path: string
  content: object
  /** Maximum seconds before the first event and between any two. */
  timeout: number
  /** Called for one event after the other. Throws for error events. */
  readEvent(event: EventSourceMessage): EventText
}

/** Content of an event: new text, citations for the text so far, or the stop reason. Empty for thinking. */
export interface EventText {
  text?: string
  citations?: Quotation[]
  end?: ModelEnd
}

export async function* streamAnswer(
  { endpoint, path, content, timeout, readEvent }: ProviderCall,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted()
  const abort = new AbortController()
  const stop = AbortSignal.any([signal, abort.signal])
  const silence = watchSilence(timeout * 1000, () => abort.abort(new ModelError('silent')))
  let hasBegun = false
  let characters = 0
  let end: ModelEnd | undefined
  try {
    const body = await silence.limit(post(endpoint, path, content, stop))
    hasBegun = true
    const pieces: AsyncIterator<string> = body.setEncoding('utf8')[Symbol.asyncIterator]()
    const nextEvents = createEventReader(pieces)
    while (!end) {
      for (const event of await silence.limit(nextEvents())) {
        stop.throwIfAborted()
        const { text, citations = [], end: reason } = readEvent(event)
        if (text) {
          characters += text.length
          if (characters > maxCharacters) throw new Error('the answer is too long')
          yield { type: 'text', text }
        }
        for (const citation of citations) yield { type: 'citation', ...citation }
        end ??= reason
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
    if (!end) abort.abort()
  }
}

/** Returns the next complete events, at least one; comments do not count. Rejects at the end of the stream. */
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
      if (done) throw new Error('the stream ended without a stop reason')
      parser.feed(value)
    }
    return events
  }
}

/** Calls `onSilence` if a wait exceeds `timeout` milliseconds. Time between waits does not count: then the reader is slow. */
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

/** Reads the rest of the response, so that the connection can be reused. Ignores errors. */
async function drain(pieces: AsyncIterator<string>, close: () => void): Promise<void> {
  const timer = setTimeout(close, closingTimeout)
  try {
    while (!(await pieces.next()).done);
  } catch {
  } finally {
    clearTimeout(timer)
  }
}

/** Only some models continue an assistant message, but all follow this instruction. */
const continueMessage: ModelMessage = {
  role: 'user',
  content:
    'Your answer was cut off. Go on with it exactly where it stops: begin with the very next character, repeat ' +
    'nothing, and say nothing about the cut.',
}

/** Converts messages to a conversation that all providers accept: from user to user, without empty messages. */
export function toConversation(messages: ModelMessage[]): ModelMessage[] {
  const full = messages.filter((message) => message.content.trim() !== '')
  const begin = full.findIndex((message) => message.role === 'user')
  const conversation = full.slice(Math.max(begin, 0))
  return conversation.at(-1)?.role === 'assistant' ? [...conversation, continueMessage] : conversation
}

/** Exceptions to `toFault`'s rule by class of status. */
const faults: Record<number, ModelFault> = { 408: 'unavailable', 425: 'unavailable', 429: 'rate_limited' }

/** `hasBegun`: whether the response had begun; a lost connection then means `broken`. The cause never contains `key`. */
export function toModelError(error: unknown, hasBegun: boolean, key: string | null): ModelError {
  if (error instanceof ModelError) return error
  // Some servers respond 200 and send the status in an error event.
  const status = Number((error as { code?: unknown }).code)
  return new ModelError(toFault(status) ?? (hasBegun ? 'broken' : 'unavailable'), toCause(error, key))
}

/** Redirects and other 4xx are `refused`, since a retry would fail too. Null if the status is not a failure. */
function toFault(status: number): ModelFault | null {
  if (!(status >= 300 && status < 600)) return null
  return faults[status] ?? (status < 500 ? 'refused' : 'unavailable')
}

/** Converts an error event, which has a message and sometimes a code. */
export function toEventError(event: unknown): Error {
  const { message, code } = Object(event) as { message?: unknown; code?: unknown }
  return Object.assign(new Error(String(message ?? JSON.stringify(event))), { code })
}

/** Joins the messages of the error and its causes in one line. Redacts the key, which some providers echo. */
function toCause(error: unknown, key: string | null): Error {
  const messages: string[] = []
  for (let each = error; each instanceof Error && messages.length < 5; each = each.cause) {
    messages.push(`${each.constructor.name}: ${each.message}`)
  }
  const line = messages.join(' ← ').replace(/\s+/g, ' ')
  return new Error((key ? line.replaceAll(key, '[key]') : line).slice(0, 1000))
}
