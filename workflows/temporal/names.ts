// What the core and the workers call things on Temporal: the queue, and the ids that a person finds in the UI.
// Read by workflows too: it imports nothing that does I/O.

/** The queue of workflows and of activities of any worker; the steps of a run are queued for the worker that has it. */
export const taskQueue = 'lectern'

export interface ProjectWork {
  uuid: string
  project: string
}

/** Signal of a worker to its run's workflow: how far it has come. */
export const progressSignal = 'progressed'

export const workflowIds = {
  /** One a project: a new run takes the place of the one before. */
  sync: (slug: string) => `sync/${slug}`,
  recrawl: (uuid: string) => `recrawl/${uuid}`,
  schedule: (slug: string) => `schedule/${slug}`,
  scheduled: (slug: string) => `scheduled/${slug}`,
  sweep: (project: string, uuid: string) => `sweep/${project}/${uuid}`,
  orphans: (project: string) => `orphans/${project}`,
  drop: (project: string) => `drop/${project}`,
}

/** Types of failures on which a workflow decides. */
export const failureTypes = {
  /** The run has ended in the store, or a newer one has its place: nothing is left to do. */
  runEnded: 'RunEnded',
  /** The worker that was asked does not have the run: it must be claimed again. */
  notClaimed: 'NotClaimed',
  /** A backend is away: tried again. */
  away: 'BackendAway',
  /** Anything else: a fault of Lectern's own. */
  fault: 'InternalError',
}
