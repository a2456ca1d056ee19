// What the core and the workers call things on Temporal: the queue, and the ids that a person finds in the UI.
// Read by workflows too: it imports nothing that does I/O.
import type { Trigger } from '../../services/store/run.ts'

/** The one queue of workflows and activities: any worker takes up any of them. */
export const taskQueue = 'lectern'

/** A run or a recrawl. */
export interface ProjectWork {
  uuid: string
  project: string
}

/** Parameters of a sync; shown as its memo. */
export interface SyncInput extends ProjectWork {
  slug: string
  fence: number
  trigger: Trigger
}

/** The workflow `sync`, as those who start it see it. */
export type Sync = (input: SyncInput) => Promise<unknown>

export const workflowIds = {
  /** One a project: a new run takes the place of the one before. */
  sync: (slug: string) => `sync/${slug}`,
  recrawl: (uuid: string) => `recrawl/${uuid}`,
  schedule: (slug: string) => `schedule/${slug}`,
  scheduled: (slug: string) => `scheduled/${slug}`,
  sweep: (project: string, uuid: string) => `sweep/${project}/${uuid}`,
  drop: (project: string) => `drop/${project}`,
}

/** Types of failures, as Temporal shows them. */
export const failureTypes = {
  /** The run has ended in the store, or a newer one has its place: nothing is left to do. */
  runEnded: 'RunEnded',
  /** The worker ends, or another attempt of it has begun: tried again. */
  handedOver: 'HandedOver',
  /** A backend is unavailable: retried. */
  away: 'BackendAway',
  /** Anything else: a fault of Lectern's own. */
  fault: 'InternalError',
}
