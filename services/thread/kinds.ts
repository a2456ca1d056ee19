// The kinds of threads beside the main one, and what holds for each thread of a kind.
import type { ResourceLimits } from 'node:worker_threads'

export interface ThreadKind {
  /** Milliseconds of processor time that the thread may take without answering: above what its longest step takes. */
  cpuLimit: number
  /** Milliseconds without a call after which the thread is ended; the next call starts another. Null: it is always there. */
  idleTimeout: number | null
  resourceLimits?: ResourceLimits
}

export const threadKinds = {
  /** Readers wait for it. */
  search: { cpuLimit: 3_000, idleTimeout: null },
  /** The largest segments of an index are merged in one step. */
  crawl: { cpuLimit: 60_000, idleTimeout: 30_000 },
  /**
   * A page of 6 MB takes a third to a half of the processor time. As much room for new objects as V8 takes by itself: a page
   * is many, and these threads end when they rest.
   */
  parse: {
    cpuLimit: 5_000,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 48 },
  },
  /** The model's weights are loaded in one step. */
  embed: { cpuLimit: 30_000, idleTimeout: null },
} satisfies Record<string, ThreadKind>

/** Readers' requests go before what runs in the background. */
export const priorities: Record<keyof typeof threadKinds, number> = {
  search: 0,
  crawl: 2,
  embed: 3,
  parse: 7,
}
