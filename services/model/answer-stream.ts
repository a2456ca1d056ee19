// What every provider's stream is held to: how long it may be silent, how much it may say, and how it ends.
import { type AnswerRequest, type Model, type ModelEnd, ModelError, type ModelPart } from './model.ts'
import { toModelError } from './model-fault.ts'

/** Most characters of one answer, some hundred times a long one: what says more has gone wrong. */
const mostCharacters = 200_000

/** Longest wait for the closing events once the reason is known, in milliseconds. */
const closingWait = 1000

/** A provider, as its client speaks: the events of an answer, and what each of them says. */
export interface AnswerSource<Event> {
  name: string
  /** Never part of an error's cause. */
  key: string | null
  /** Milliseconds of silence that are too many, before the first event and between any two. */
  patience: number
  /** Settles when the provider begins to answer; ends the HTTP request at once on the signal's abort. */
  open(request: AnswerRequest, signal: AbortSignal): Promise<AsyncIterable<Event>>
  /** A reader of one answer's events, which may remember what came before. */
  createReader(): (event: Event) => Said
}

/** What an event says: new text, or how the answer ends. Thoughts say nothing. */
export interface Said {
  text?: string
  end?: ModelEnd
}

export function createStreamingModel<Event>(source: AnswerSource<Event>): Model {
  return { name: source.name, answer: (request, signal) => streamAnswer(source, request, signal) }
}

async function* streamAnswer<Event>(
  source: AnswerSource<Event>,
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
    const stream = await watch.wait(source.open(request, stop.signal))
    const events = stream[Symbol.asyncIterator]()
    begun = true
    while (!end) {
      stop.signal.throwIfAborted()
      const next = await watch.wait(events.next())
      if (next.done) throw new ModelError('broken', new Error('the stream ended without a reason'))
      const said = read(next.value)
      if (said.text) {
        characters += said.text.length
        if (characters > mostCharacters) throw new ModelError('broken', new Error('the answer has no end'))
        yield { type: 'text', text: said.text }
      }
      end = said.end
    }
    watch.end()
    await close(events, stop)
    signal.throwIfAborted()
    yield { type: 'end', reason: end }
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason
    throw toModelError(error, begun, source.key)
  } finally {
    watch.end()
    signal.removeEventListener('abort', leave)
    stop.abort()
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

/** Reads what follows the reason, so that the connection can be used again; whatever goes wrong there is no matter. */
async function close(events: AsyncIterator<unknown>, stop: AbortController): Promise<void> {
  const timer = setTimeout(() => stop.abort(), closingWait)
  try {
    while (!(await events.next()).done);
  } catch {
    // The answer is whole.
  } finally {
    clearTimeout(timer)
  }
}
