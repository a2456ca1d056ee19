// Where the plan of a run has got to, so that an execution with an empty history continues where the one before stopped. The
// plan runs from its beginning again; steps that were done are answered from the checkpoint.
import type { CrawlSteps } from '../steps.ts'

export interface Checkpoint {
  /** What `begin` answered; null before it has. */
  sources: string[] | null
  /** Source → whether the list of its pages could be read. */
  readable: Record<string, boolean>
  finished: string[]
}

export function emptyCheckpoint(): Checkpoint {
  return { sources: null, readable: {}, finished: [] }
}

/**
 * The steps, without those that were done before the checkpoint. Keeps `checkpoint` up to date; `before` is called before each
 * step that is done, and ends the plan by throwing.
 *
 * Sources a and b, checkpoint {sources: [a, b], readable: {a: true, b: true}, finished: [a]}: begin, seed a, walk a,
 * finishSource a and seed b are answered; walk b is the first that is done.
 */
export function resumeFrom(
  steps: CrawlSteps,
  checkpoint: Checkpoint,
  before: () => Promise<void>,
): CrawlSteps {
  const isFinished = (source: string) => checkpoint.finished.includes(source)

  return {
    async begin() {
      if (checkpoint.sources === null) {
        await before()
        checkpoint.sources = (await steps.begin()).sources
      }
      return { sources: checkpoint.sources }
    },

    async seed(uuid) {
      const known = checkpoint.readable[uuid]
      if (known !== undefined) return { uuid, readable: known }
      await before()
      const seeded = await steps.seed(uuid)
      checkpoint.readable[uuid] = seeded.readable
      return seeded
    },

    async walk(source, limit) {
      if (isFinished(source)) return 0
      await before()
      return steps.walk(source, limit)
    },

    async resolveCanonicals(source) {
      if (isFinished(source)) return 0
      await before()
      return steps.resolveCanonicals(source)
    },

    async finishSource(source) {
      if (isFinished(source.uuid)) return
      await before()
      await steps.finishSource(source)
      checkpoint.finished.push(source.uuid)
    },

    async settleDeferred(limit) {
      await before()
      return steps.settleDeferred(limit)
    },

    async removeGone(unreadable) {
      await before()
      await steps.removeGone(unreadable)
    },

    async sweep(limit) {
      await before()
      return steps.sweep(limit)
    },

    async complete() {
      await before()
      await steps.complete()
    },
  }
}
