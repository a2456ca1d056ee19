// An event of a run as it lies in its collection: one document by run and id of the event.
import type { LoggedEvent } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'

export interface EventRow extends MongoRow, Omit<LoggedEvent, 'id'> {
  project: string
  run: string
  id: string
}

export const eventRows = (db: MongoDb) => db.collection<EventRow>('run_events')

export const eventIdOf = (run: string, id: string): string => `${run} ${id}`

export function toEventRow(project: string, run: string, event: LoggedEvent): EventRow {
  return {
    _id: eventIdOf(run, event.id),
    project,
    run,
    ...event,
  }
}

export function toEvent({ _id, project, run, seq, ...event }: EventRow): LoggedEvent {
  return event
}
