import { expect, test } from 'vitest'
import { crawl } from './crawl.ts'
import type { CrawlSteps } from './steps.ts'

/** Steps that write down what is asked of them; `script` tells what they answer. */
function createScript(script: {
  sources: string[]
  unreadable?: string[]
  walks?: number[]
  reopened?: number[]
}) {
  const calls: string[] = []
  const walks = [...(script.walks ?? [])]
  const reopened = [...(script.reopened ?? [])]
  const steps: CrawlSteps = {
    async begin() {
      calls.push('begin')
      return { sources: script.sources }
    },
    async seed(source) {
      calls.push(`seed ${source}`)
      return { uuid: source, readable: !script.unreadable?.includes(source) }
    },
    async walk(source) {
      calls.push(`walk ${source}`)
      return walks.shift() ?? 0
    },
    async resolveCanonicals(source) {
      calls.push(`judge ${source}`)
      return reopened.shift() ?? 0
    },
    async finishSource({ uuid }) {
      calls.push(`finish ${uuid}`)
    },
    async settleDeferred() {
      calls.push('settle')
      return 0
    },
    async removeGone(unreadable) {
      calls.push(`remove but ${unreadable.join()}`)
    },
    async sweep() {
      calls.push('sweep')
      return 0
    },
    async complete() {
      calls.push('complete')
    },
  }
  return { steps, calls }
}

test('sources are walked to their end one after the other; removal comes after all of them', async () => {
  const { steps, calls } = createScript({ sources: ['a', 'b'], walks: [3, 0, 0], unreadable: ['b'] })
  await crawl(steps)
  expect(calls).toEqual([
    'begin',
    'seed a',
    'walk a',
    'walk a',
    'judge a',
    'finish a',
    'seed b',
    'walk b',
    'judge b',
    'finish b',
    'settle',
    'remove but b',
    'sweep',
    'complete',
  ])
})

test('pages that another was to stand for and does not are walked before their source is finished', async () => {
  const { steps, calls } = createScript({ sources: ['a'], reopened: [2] })
  await crawl(steps)
  expect(calls.slice(2, -4)).toEqual(['walk a', 'judge a', 'walk a', 'judge a', 'finish a'])
})

test('a failing step ends the plan: nothing is removed, the run does not complete', async () => {
  const { steps, calls } = createScript({ sources: ['a'] })
  steps.walk = async () => {
    throw new Error('stopped')
  }
  await expect(crawl(steps)).rejects.toThrow('stopped')
  expect(calls).toEqual(['begin', 'seed a'])
})
