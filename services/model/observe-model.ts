// Reports how each call of a language model ended and how long it took.
import { mapStream } from '../stream/map-stream.ts'
import { type Model, type ModelEnd, ModelError, type ModelFault } from './model.ts'

/** `aborted`: the caller stopped it. */
export type CallOutcome = ModelEnd | ModelFault | 'aborted'

export function observeModel(model: Model, tell: (outcome: CallOutcome, seconds: number) => void): Model {
  return {
    ...model,
    answer(request, signal) {
      const begun = performance.now()
      let outcome: CallOutcome = 'aborted'
      return mapStream(model.answer(request, signal), {
        map(part) {
          if (part.type === 'end') outcome = part.reason
          return part
        },
        mapError(error) {
          if (error instanceof ModelError) outcome = error.fault
          return error
        },
        onEnd: () => tell(outcome, (performance.now() - begun) / 1_000),
      })
    },
  }
}
