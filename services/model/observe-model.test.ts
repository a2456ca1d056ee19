import { expect, test } from 'vitest'
import { type AnswerRequest, type Model, ModelError, type ModelPart } from './model.ts'
import { type CallOutcome, observeModel } from './observe-model.ts'

const text: ModelPart = { type: 'text', text: 'a' }

async function outcomeOf(answer: () => AsyncGenerator<ModelPart>, take: number): Promise<CallOutcome[]> {
  const told: CallOutcome[] = []
  const model: Model = { name: 'm', answer }
  const observed = observeModel(model, (outcome) => told.push(outcome))
  try {
    let taken = 0
    for await (const _ of observed.answer({} as AnswerRequest, new AbortController().signal)) {
      taken += 1
      if (taken === take) break
    }
  } catch {}
  return told
}

async function* whole() {
  yield text
  yield { type: 'end', reason: 'length' } satisfies ModelPart
}

async function* failing() {
  yield text
  throw new ModelError('broken')
}

test.each([
  ['its end', whole, 2, 'length'],
  ['its fault', failing, 2, 'broken'],
  ['aborted, where the caller leaves', whole, 1, 'aborted'],
] as const)('a call is told once, with %s', async (_, answer, take, outcome) => {
  expect(await outcomeOf(answer, take)).toEqual([outcome])
})
