import { expect, test } from 'vitest'
import { type CrawlSteps, crawl } from './crawl.ts'

const pages = {
  ...{ discovered: 3, pending: 0, fetched: 3, unchanged: 0, added: 3 },
  ...{ updated: 0, skipped: 0, failed: 0, removed: 0 },
}

/** Steps that record their calls. */
function createScript({ sources, unreadable = [] }: { sources: string[][]; unreadable?: string[] }) {
  const calls: string[] = []
  const steps: CrawlSteps = {
    async start() {
      calls.push('start')
      return { sources }
    },
    async readSources(together) {
      calls.push(`read ${together.join()}`)
      return { unreadable: together.filter((source) => unreadable.includes(source)) }
    },
    async settle(kept) {
      calls.push(`settle but ${kept.join()}`)
    },
    async finish() {
      calls.push('finish')
      return pages
    },
  }
  return { steps, calls }
}

test('reads sources one after the other, and removes pages after all of them', async () => {
  const { steps, calls } = createScript({ sources: [['a', 'b'], ['c']], unreadable: ['b', 'c'] })
  expect(await crawl(steps)).toEqual(pages)
  expect(calls).toEqual(['start', 'read a,b', 'read c', 'settle but b,c', 'finish'])
})

test('finishes a project without sources', async () => {
  const { steps, calls } = createScript({ sources: [] })
  await crawl(steps)
  expect(calls).toEqual(['start', 'settle but ', 'finish'])
})

test('stops at a failing step: removes nothing and does not complete the run', async () => {
  const { steps, calls } = createScript({ sources: [['a']] })
  steps.readSources = async () => {
    throw new Error('stopped')
  }
  await expect(crawl(steps)).rejects.toThrow('stopped')
  expect(calls).toEqual(['start'])
})
