import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crawl } from '../crawl.ts'
import type { CrawlSteps } from '../steps.ts'
import { type Checkpoint, emptyCheckpoint, resumeFrom } from './checkpoint.ts'

class Renewed extends Error {}

/** A store's part of a run: listings left to walk and pages left to judge by source, so that steps take up where it stands. */
function createWorld(sources: { pages: number; diverted: number }[]) {
  const left = sources.map(({ pages }) => pages)
  const diverted = sources.map((source) => source.diverted)
  const calls: string[] = []
  const steps: CrawlSteps = {
    async begin() {
      calls.push('begin')
      return { sources: sources.map((_, at) => String(at)) }
    },
    async seed(source) {
      calls.push(`seed ${source}`)
      return { uuid: source, readable: Number(source) % 2 === 0 }
    },
    async walk(source, limit) {
      const walked = Math.min(left[Number(source)]!, limit)
      left[Number(source)]! -= walked
      if (walked > 0) calls.push(`walk ${source}`)
      return walked
    },
    async resolveCanonicals(source) {
      const opened = diverted[Number(source)]!
      diverted[Number(source)] = 0
      left[Number(source)]! += opened
      return opened
    },
    async finishSource({ uuid, readable }) {
      calls.push(`finish ${uuid} ${readable} with ${left[Number(uuid)]} left`)
    },
    settleDeferred: async () => 0,
    async removeGone(unreadable) {
      calls.push(`remove but ${unreadable.join()}`)
    },
    sweep: async () => 0,
    async complete() {
      calls.push('complete')
    },
  }
  return { steps, calls }
}

/** Runs the plan to its end, begun again from its kept checkpoint whenever `steps` more of it are done. */
async function crawlInPieces(steps: CrawlSteps, pieces: number[]) {
  let checkpoint = emptyCheckpoint()
  for (const piece of [...pieces, Number.POSITIVE_INFINITY]) {
    let done = 0
    const before = async () => {
      done += 1
      if (done > piece) throw new Renewed()
    }
    try {
      // As Temporal hands it on: through JSON.
      checkpoint = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint
      return await crawl(resumeFrom(steps, checkpoint, before))
    } catch (error) {
      if (!(error instanceof Renewed)) throw error
    }
  }
}

test('a plan that goes on from its checkpoint does what one that was never cut does', async () => {
  const source = fc.record({ pages: fc.nat(3_500), diverted: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(source, { maxLength: 4 }),
      fc.array(fc.nat(9), { maxLength: 12 }),
      async (sources, pieces) => {
        const [whole, cut] = [createWorld(sources), createWorld(sources)]
        await crawl(whole.steps)
        await crawlInPieces(cut.steps, pieces)
        // What finishes the run may be done again from its first step: each of those can be repeated.
        const distinct = cut.calls.filter((call, at) => call !== cut.calls[at - 1] || call.startsWith('walk'))
        expect(distinct).toEqual(whole.calls)
      },
    ),
  )
})

test('sources that are finished are not asked about again', async () => {
  const { steps, calls } = createWorld([
    { pages: 5, diverted: 0 },
    { pages: 5, diverted: 0 },
  ])
  const checkpoint = { sources: ['0', '1'], readable: { 0: true, 1: false }, finished: ['0'] }
  await crawl(resumeFrom(steps, checkpoint, async () => {}))
  expect(calls).toEqual(['walk 1', 'finish 1 false with 0 left', 'remove but 1', 'complete'])
})
