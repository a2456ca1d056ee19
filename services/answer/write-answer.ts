// Lets the model write, cleans what it writes, and goes on by itself where its limit of length cuts it
// (decisions.md "Chat": at most 3 times). Nothing is asked twice after a failure.
import { setImmediate } from 'node:timers/promises'
import { type AnswerRequest, type Model, type ModelEnd, ModelError } from '../model/model.ts'
import type { SafeText } from '../sanitize/safe-text.ts'
import type { ChatStop, Trace } from '../store/chat.ts'

export interface Written {
  /** Of this request alone, cleaned. */
  text: string
  stop: ChatStop
  continuations: number
  /** Whether the model can be asked for more. */
  canGoOn: boolean
  dropped: Trace['dropped']
  /** Of a model that is verbatim: the passages that its citations stand for, by their labels. */
  quoted: number[]
  /** What went wrong; null where nothing did. */
  fault: unknown
}

export interface WriteDeps {
  model: Model
  safe: SafeText
  signal: AbortSignal
  /** Told of new text, never empty. */
  onText(text: string): void
}

const mostContinuations = 3
/** No answer is longer, in characters; what a model says beyond is not waited for. */
const longestAnswer = 50_000
/** So many characters in a row are worked on before others get their turn. */
const stretch = 4_000

/** Never throws: whatever happens is how the answer ended. */
export async function writeAnswer(request: AnswerRequest, deps: WriteDeps): Promise<Written> {
  const { safe } = deps
  let text = ''
  let continuations = 0
  let quoted: number[] = []
  const show = (piece: string) => {
    const room = piece.slice(0, longestAnswer - text.length)
    text += room
    if (room !== '') deps.onText(room)
  }
  const end = (stop: ChatStop, fault: unknown = null, canGoOn = false): Written => {
    show(safe.end())
    return { text, stop, continuations, canGoOn, dropped: safe.dropped, quoted, fault }
  }

  let draft = ''
  let hasBegun = false
  try {
    for (;;) {
      const part = await ask(toRequest(request, draft), deps, (piece) => {
        hasBegun = true
        show(safe.push(piece))
        return text.length < longestAnswer
      })
      draft += part.text
      quoted = part.quoted ?? []
      if (part.end === 'full') return end('length')
      if (part.end === 'stop' && draft === '') throw new ModelError('broken', 'it said nothing')
      if (part.end !== 'length') return end(part.end)
      if (continuations === mostContinuations || part.text === '') return end('length', null, draft !== '')
      continuations++
    }
  } catch (fault) {
    return end(hasBegun ? 'interrupted' : 'error', fault)
  }
}

/** One call of the model; `take` says whether more is wanted. */
async function ask(
  request: AnswerRequest,
  { model, signal }: WriteDeps,
  take: (text: string) => boolean,
): Promise<{ text: string; end: ModelEnd | 'full'; quoted?: number[] | undefined }> {
  let text = ''
  let since = 0
  for await (const part of model.answer(request, signal)) {
    if (part.type === 'end') return { text, end: part.reason, quoted: part.quoted }
    for (let from = 0; from < part.text.length; from += stretch) {
      // A reader who left is not written for, whatever the driver still holds.
      signal.throwIfAborted()
      const piece = part.text.slice(from, from + stretch)
      text += piece
      since += piece.length
      if (!take(piece)) return { text, end: 'full' }
      if (since < stretch) continue
      since = 0
      await setImmediate()
    }
  }
  throw new ModelError('broken', 'it ended without a reason')
}

function toRequest(request: AnswerRequest, draft: string): AnswerRequest {
  if (draft === '') return request
  return {
    ...request,
    messages: [...withoutDraft(request), { role: 'assistant', content: before(request) + draft }],
  }
}

/** A request that goes on with an answer ends in what there is of it. */
function before({ messages }: AnswerRequest): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.content : ''
}

function withoutDraft({ messages }: AnswerRequest) {
  return messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages
}
