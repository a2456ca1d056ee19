// The kinds of worker threads and their limits.
import type { ResourceLimits } from 'node:worker_threads'

export interface ThreadKind {
  /** Niceness: readers' requests have priority over background work. 0: highest. */
  priority: number
  /** Milliseconds of CPU time that the thread may block its event loop: more than its longest step takes. */
  cpuLimit: number
  /** Milliseconds without a call after which the thread ends, until the next call. Null: never. */
  idleTimeout: number | null
  resourceLimits?: ResourceLimits
  /** Maximum bytes of buffers, which are not part of the heap. */
  maxBuffers?: number
}

/** Enough for threads with few new objects. V8's default is 48 MB per thread. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

export const threadKinds = {
  /** Readers wait for this thread. */
  search: { priority: 0, cpuLimit: 3_000, idleTimeout: null, resourceLimits },
  /** Merging the largest segments of an index is one step. */
  crawl: { priority: 2, cpuLimit: 60_000, idleTimeout: 30_000, resourceLimits },
  /**
   * A page of 6 MB takes a third to a half of the CPU time. Parsing creates many objects: with a smaller young generation, a
   * crawl of large pages takes a third more CPU time.
   */
  parse: {
    priority: 7,
    cpuLimit: 5_000,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 48 },
    maxBuffers: 512 * 1024 * 1024,
  },
  /** One thread per archive. */
  backup: { priority: 5, cpuLimit: 60_000, idleTimeout: null, resourceLimits },
  /** Loading the model's weights is one step. */
  embed: { priority: 3, cpuLimit: 30_000, idleTimeout: null, resourceLimits },
} satisfies Record<string, ThreadKind>
