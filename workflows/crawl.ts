// The plan of a sync: in which order the steps run and when they stop. No clock, no I/O.
import type { CrawlSteps, SeededSource } from './steps.ts'

const walkAtOnce = 1_000
const settleAtOnce = 1_000
const sweepAtOnce = 5_000

/** Crawls every source of the project to its end. Throws what a step throws: the runner ends the run. */
export async function crawl(steps: CrawlSteps): Promise<void> {
  const { sources } = await steps.begin()
  const seeded: SeededSource[] = []
  for (const source of sources) {
    const start = await steps.seed(source)
    do await untilNone(() => steps.walk(source, walkAtOnce))
    while ((await steps.resolveCanonicals(source)) > 0)
    await steps.finishSource(start)
    seeded.push(start)
  }
  await untilNone(() => steps.settleDeferred(settleAtOnce))
  await steps.removeGone(seeded.filter((source) => !source.readable).map((source) => source.uuid))
  await untilNone(() => steps.sweep(sweepAtOnce))
  await steps.complete()
}

async function untilNone(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
