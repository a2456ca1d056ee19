// What every provider's stream is held to: how long it may be silent, how much it may say, and how it ends.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import {
  type AnswerRequest,
  type Model,
  type ModelEnd,
  ModelError,
  type ModelMessage,
  type ModelPart,
} from './model.ts'
import { toModelError } from './model-fault.ts'
import type { ProviderResponse } from './provider-fetch.ts'

/** Most characters of one answer, some hundred times a long one: what says more has gone wrong. */
const maxCharacters = 200_000

/** Most characters of an event: an answer of 200,000, each of them written as an escape, and more. */
const maxEvent = 2_000_000

/** Longest wait for the closing events once the reason is known, in milliseconds. */
const closingWait = 1000

/** A provider, as its client speaks: the answer to a request, and what each of its events says. */
interface AnswerSource {
  name: string
  /** Never part of an error's cause. */
  key: string | null
  /** Milliseconds of silence that are too many, before the first event and between any two. */
  patience: number
  /** Settles when the provider begins to answer; ends the HTTP request at once on the signal's abort. */
  open(request: AnswerRequest, signal: AbortSignal): Promise<Response>
  /** A reader of one answer's events, which may remember what came before. Throws where an event tells of a fault. */
  createReader(): (event: EventSourceMessage) => Said
}

/** What an event says: new text, or how the answer ends. Thoughts say nothing. */
export interface Said {
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
  const watch = watchSilence(source.patience, () => stop.abort(new ModelError('silent')))
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
 * Calls `tooLong` once when something is waited for longer than `patience` milliseconds; the time between two waits, in
 * which the reader is slow, does not count. One timer lasts for many waits: it looks at when the present one began.
 */
function watchSilence(patience: number, tooLong: () => void) {
  let since: number | null = null
  const look = () => {
    const left = since === null ? patience : since + patience - performance.now()
    if (left > 0) timer = setTimeout(look, left)
    else tooLong()
  }
  let timer = setTimeout(look, patience)
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

/**
 * Reads what follows the reason, while the answer goes on its way, so that the connection can be used again; whatever
 * goes wrong there is no matter.
 */
async function drain(pieces: AsyncIterator<string>, leave: () => void): Promise<void> {
  const timer = setTimeout(leave, closingWait)
  try {
    while (!(await pieces.next()).done);
  } catch {
  } finally {
    clearTimeout(timer)
  }
}

/** Models differ in whether a last message of their own is gone on with; a request in words all of them follow. */
const goOn: ModelMessage = {
  role: 'user',
  content:
    'Your answer was cut off. Go on with it exactly where it stops: begin with the very next character, repeat ' +
    'nothing, and say nothing about the cut.',
}

/** The conversation as both providers take it: it begins and ends with the reader, and nothing in it is empty. */
export function toConversation(messages: ModelMessage[]): ModelMessage[] {
  const full = messages.filter((message) => message.content.trim() !== '')
  const begin = full.findIndex((message) => message.role === 'user')
  const conversation = full.slice(Math.max(begin, 0))
  return conversation.at(-1)?.role === 'assistant' ? [...conversation, goOn] : conversation
}
