// The contract of models notices broken promises: each broken model fails the cases that it names, and every case is failed
// by one.
import { expect, test } from 'vitest'
import type { Model } from '../../services/model/model.ts'
import { createOpenaiModel } from '../../services/model/openai/openai-model.ts'
import { type ModelCase, modelCases, type ProviderSetting, runModelCase } from './model.suite.ts'
import { type BrokenModel, brokenModels } from './model-broken.ts'

/** What hangs in a broken model is waited for so long, in milliseconds. */
const timeout = 5_000

async function fails(each: ModelCase, { breaks }: BrokenModel): Promise<boolean> {
  const create = (setting: ProviderSetting): Model => {
    const good = createOpenaiModel({ ...setting, provider: 'openai-compatible', model: 'scripted' })
    return { name: good.name, answer: breaks(good, setting) }
  }
  const stuck = Promise.withResolvers<boolean>()
  const timer = setTimeout(stuck.resolve, timeout, true)
  const run = runModelCase(each, create).then(
    () => false,
    () => true,
  )
  try {
    return await Promise.race([run, stuck.promise])
  } finally {
    clearTimeout(timer)
  }
}

const namedBy = ({ cases }: BrokenModel) => modelCases.filter(({ name }) => cases.test(name))

test.each(brokenModels)('noticed when broken: $promise', async (broken) => {
  const named = namedBy(broken)
  const failed = await Promise.all(named.map((each) => fails(each, broken)))
  expect(named.filter((_, n) => !failed[n]).map(({ name }) => name)).toEqual([])
  expect(named).not.toEqual([])
})

test('every case is failed by a broken model', () => {
  const failed = new Set(brokenModels.flatMap(namedBy))
  expect(modelCases.filter((each) => !failed.has(each)).map(({ name }) => name)).toEqual([])
})
