// Tells how each call of a language model ended, and how long it took.
import { type Model, type ModelEnd, ModelError, type ModelFault } from './model.ts'

/** `aborted`: the caller stopped it. */
export type CallOutcome = ModelEnd | ModelFault | 'aborted'

export function observeModel(model: Model, tell: (outcome: CallOutcome, seconds: number) => void): Model {
  return {
    ...model,
    async *answer(request, signal) {
      const begun = performance.now()
      let outcome: CallOutcome = 'aborted'
      try {
        for await (const part of model.answer(request, signal)) {
          if (part.type === 'end') outcome = part.reason
          yield part
        }
      } catch (error) {
        if (error instanceof ModelError) outcome = error.fault
        throw error
      } finally {
        tell(outcome, (performance.now() - begun) / 1_000)
      }
    },
  }
}
