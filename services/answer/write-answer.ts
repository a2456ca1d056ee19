// Lets the model write, makes safe what it writes, and continues by itself where its limit of length cuts it. Nothing is
// asked twice after a failure.
import { setImmediate } from 'node:timers/promises'
import { type AnswerRequest, type Model, type ModelEnd, ModelError } from '../model/model.ts'
import { createSafeText } from '../sanitize/safe-text.ts'
import type { ChatStop, Trace } from '../store/chat.ts'

export interface Written {
  /** Safe, the draft before it. */
  text: string
  stop: ChatStop
  continuations: number
  /** Whether the model can be asked for more. */
  canContinue: boolean
  dropped: Trace['dropped']
  /** Of a model that is verbatim: the passages that its citations stand for, by their labels. */
  quoted: number[]
  /** What went wrong; null where nothing did. */
  fault: unknown
}

interface WriteDeps {
  model: Model
  /** Whether an address may stay a link. */
  isOurs(url: URL): boolean
  signal: AbortSignal
  /** Told of new text, never empty. */
  onText(text: string): void
}

const maxContinuations = 3
/** Characters of an answer; what a model says beyond is not waited for. */
const maxAnswer = 50_000
/** Characters in a row that are worked on before other work may run. */
const maxPiece = 4_000

/** `draft`: what there is of an answer that is continued. Never throws: whatever happens is how the answer ended. */
export async function writeAnswer(request: AnswerRequest, draft: string, deps: WriteDeps): Promise<Written> {
  const safe = createSafeText(deps.isOurs)
  // What has been said before sets the stage: a block of code may be open. What is held back of it comes again.
  let text = draft === '' ? '' : safe.push(draft)
  let shown = Math.max(draft.length, text.length)
  const maxLength = text.length + maxAnswer
  let continuations = 0
  let quoted: number[] = []
  const show = (piece: string) => {
    text = (text + piece).slice(0, maxLength)
    if (text.length > shown) deps.onText(text.slice(shown))
    shown = Math.max(shown, text.length)
  }
  const end = (stop: ChatStop, fault: unknown = null, canContinue = false): Written => {
    show(safe.end())
    return { text, stop, continuations, canContinue, dropped: safe.dropped, quoted, fault }
  }

  let raw = draft
  let hasBegun = false
  try {
    for (;;) {
      const messages = [...request.messages]
      if (raw !== '') messages.push({ role: 'assistant', content: raw })
      const part = await ask({ ...request, messages }, deps, (piece) => {
        hasBegun = true
        show(safe.push(piece))
        return text.length < maxLength
      })
      raw += part.text
      quoted = part.quoted ?? []
      if (part.end === 'full') return end('length')
      if (part.end === 'stop' && raw === draft) throw new ModelError('broken', 'it said nothing')
      if (part.end !== 'length') return end(part.end)
      if (continuations === maxContinuations || part.text === '') return end('length', null, raw !== draft)
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
    for (let from = 0; from < part.text.length; from += maxPiece) {
      // A reader who left is not written for, whatever the driver still holds.
      signal.throwIfAborted()
      const piece = part.text.slice(from, from + maxPiece)
      text += piece
      since += piece.length
      if (!take(piece)) return { text, end: 'full' }
      if (since < maxPiece) continue
      since = 0
      await setImmediate()
    }
  }
  throw new ModelError('broken', 'it ended without a reason')
}
