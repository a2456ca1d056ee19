// Names that core and workers share on Temporal: the queue, ids of workflows, and types of failures.
// Workflows import this file, so it must not import code that does I/O.
import type { RunKey, Trigger } from '../../services/store/run.ts'

/** The only queue of workflows and activities. Every worker runs all of them. */
export const taskQueue = 'lectern'

/** Parameters of a sync. Temporal shows them as its memo. */
export interface SyncInput extends RunKey {
  slug: string
  fence: number
  trigger: Trigger
}

/** The signature of the workflow `sync`. */
export type Sync = (input: SyncInput) => Promise<unknown>

export const workflowIds = {
  /** One per project: a new run replaces the last one. */
  sync: (slug: string) => `sync/${slug}`,
  recrawl: (uuid: string) => `recrawl/${uuid}`,
  schedule: (slug: string) => `schedule/${slug}`,
  scheduled: (slug: string) => `scheduled/${slug}`,
  sweep: (project: string, uuid: string) => `sweep/${project}/${uuid}`,
  drop: (project: string) => `drop/${project}`,
}

/** Types of failures, as Temporal shows them. */
export const failureTypes = {
  /** The run has ended in the store, or a newer run has replaced it. Not retried. */
  runEnded: 'RunEnded',
  /** The worker closes, or another attempt has started. Retried. */
  handedOver: 'HandedOver',
  /** A backend is unavailable. Retried. */
  away: 'BackendAway',
  /** Any other error: a bug in Lectern. */
  fault: 'InternalError',
}
