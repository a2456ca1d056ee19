// Where the plan of a run stands, so that an execution with a fresh history goes on where the one before stopped. The plan
// itself runs from its beginning again; what is behind it is answered from the position.
import type { CrawlSteps } from '../steps.ts'

export interface Position {
  /** What `begin` answered; null before it has. */
  sources: string[] | null
  /** Source → whether the list of its pages could be read. */
  readable: Record<string, boolean>
  finished: string[]
}

export function startPosition(): Position {
  return { sources: null, readable: {}, finished: [] }
}

/**
 * The steps, without those that the position has behind it. Keeps `position` up to date; `before` is called ahead of each
 * step that is done, and ends the plan by throwing.
 *
 * Sources a and b, position {sources: [a, b], readable: {a: true, b: true}, finished: [a]}: begin, seed a, walk a,
 * finishSource a and seed b are answered; walk b is the first that is done.
 */
export function keepPosition(steps: CrawlSteps, position: Position, before: () => Promise<void>): CrawlSteps {
  const isFinished = (source: string) => position.finished.includes(source)

  return {
    async begin() {
      if (position.sources === null) {
        await before()
        position.sources = (await steps.begin()).sources
      }
      return { sources: position.sources }
    },

    async seed(uuid) {
      const known = position.readable[uuid]
      if (known !== undefined) return { uuid, readable: known }
      await before()
      const seeded = await steps.seed(uuid)
      position.readable[uuid] = seeded.readable
      return seeded
    },

    async walk(source, limit) {
      if (isFinished(source)) return 0
      await before()
      return steps.walk(source, limit)
    },

    async judgeDiverted(source) {
      if (isFinished(source)) return 0
      await before()
      return steps.judgeDiverted(source)
    },

    async finishSource(source) {
      if (isFinished(source.uuid)) return
      await before()
      await steps.finishSource(source)
      position.finished.push(source.uuid)
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
