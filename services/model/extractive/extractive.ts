// The model that needs no provider: it answers with the sentences and examples of the passages, each with its citation.
import { setImmediate } from 'node:timers/promises'
import type { Model, ModelPart, ModelPassage } from '../model.ts'
import { choose } from './choose.ts'
import { compose } from './compose.ts'
import { readQuestion } from './question.ts'

/** Words in a piece of the stream. */
const piece = 3

/** An answer in Markdown; where it is made is the caller's business. */
export type Quote = (question: string, passages: ModelPassage[]) => Promise<string>

export function quotePassages(question: string, passages: ModelPassage[]): string {
  return compose(choose(readQuestion(question), passages))
}

export function createExtractive(quote: Quote): Model {
  return {
    name: 'extractive',
    async *answer({ question, passages, messages }, signal): AsyncIterable<ModelPart> {
      signal.throwIfAborted()
      const text = await quote(question, passages)
      const begun = messages.at(-1)
      const rest =
        begun?.role === 'assistant' && text.startsWith(begun.content)
          ? text.slice(begun.content.length)
          : text
      for (const part of toPieces(rest)) {
        signal.throwIfAborted()
        yield { type: 'text', text: part }
        await setImmediate()
      }
      yield { type: 'end', reason: 'stop' }
    },
  }
}

function toPieces(text: string): string[] {
  return text.match(new RegExp(`(?:\\S+\\s*|\\s+){1,${piece}}`, 'gu')) ?? []
}
