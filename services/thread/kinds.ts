// The kinds of worker threads, and the limits of each kind.
import type { ResourceLimits } from 'node:worker_threads'

export interface ThreadKind {
  /** Readers' requests go before what runs in the background. 0: first. */
  priority: number
  /** Milliseconds of processor time that the thread may take without answering: above what its longest step takes. */
  cpuLimit: number
  /** Milliseconds without a call after which the thread is ended; the next call starts another. Null: it is always there. */
  idleTimeout: number | null
  resourceLimits?: ResourceLimits
  /** Bytes of buffers, which no limit of the heap counts. */
  maxBuffers?: number
}

/** Enough where few objects are new at a time; V8 by itself would take 48 MB in each thread. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

export const threadKinds = {
  /** Readers wait for it. */
  search: { priority: 0, cpuLimit: 3_000, idleTimeout: null, resourceLimits },
  /** The largest segments of an index are merged in one step. */
  crawl: { priority: 2, cpuLimit: 60_000, idleTimeout: 30_000, resourceLimits },
  /**
   * A page of 6 MB takes a third to a half of the processor time. A page is many new objects: with less room for them a
   * crawl of large pages takes a third more processor time.
   */
  parse: {
    priority: 7,
    cpuLimit: 5_000,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 48 },
    maxBuffers: 512 * 1024 * 1024,
  },
  /** One archive each. */
  backup: { priority: 5, cpuLimit: 60_000, idleTimeout: null, resourceLimits },
  /** The model's weights are loaded in one step. */
  embed: { priority: 3, cpuLimit: 30_000, idleTimeout: null, resourceLimits },
} satisfies Record<string, ThreadKind>
