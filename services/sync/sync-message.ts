// Sync runs and their events as messages.
import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  EventLevel,
  EventType,
  RunStatus,
  RunTrigger,
  type SyncEvent,
  SyncEventSchema,
  type SyncRun,
  SyncRunSchema,
  type SyncSummary,
  SyncSummarySchema,
} from '../../gen/lectern/v1/sync_pb.js'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import type {
  LoggedEvent,
  Run,
  RunEventType,
  RunWithCounts,
  RunStatus as Status,
  Trigger,
} from '../store/run.ts'

const statuses: Record<Status, RunStatus> = {
  queued: RunStatus.QUEUED,
  running: RunStatus.RUNNING,
  completed: RunStatus.COMPLETED,
  failed: RunStatus.FAILED,
  cancelled: RunStatus.CANCELLED,
}

const triggers: Record<Trigger, RunTrigger> = {
  api: RunTrigger.API,
  schedule: RunTrigger.SCHEDULE,
  console: RunTrigger.CONSOLE,
  cli: RunTrigger.CLI,
}

export const eventLevels: Record<LoggedEvent['level'], EventLevel> = {
  info: EventLevel.INFO,
  warning: EventLevel.WARNING,
  error: EventLevel.ERROR,
}

export const eventTypes: Record<RunEventType, EventType> = {
  run_started: EventType.RUN_STARTED,
  run_resumed: EventType.RUN_RESUMED,
  source_started: EventType.SOURCE_STARTED,
  page_added: EventType.PAGE_ADDED,
  page_updated: EventType.PAGE_UPDATED,
  page_removed: EventType.PAGE_REMOVED,
  page_skipped: EventType.PAGE_SKIPPED,
  page_failed: EventType.PAGE_FAILED,
  removals_held: EventType.REMOVALS_HELD,
  source_finished: EventType.SOURCE_FINISHED,
  run_finished: EventType.RUN_FINISHED,
}

export function toSummary(run: Run): SyncSummary {
  return create(SyncSummarySchema, { uuid: run.uuid, status: statuses[run.status], ...toTimes(run) })
}

/** `embedding`: null to leave it out. */
export function toRun(run: RunWithCounts, embedding: EmbeddingProgress | null): SyncRun {
  return create(SyncRunSchema, {
    uuid: run.uuid,
    status: statuses[run.status],
    trigger: triggers[run.trigger],
    pages: run.pages,
    sourcesFailed: run.sourcesFailed,
    ...toTimes(run),
    ...(run.error !== null && { error: run.error }),
    ...(run.supersededBy !== null && { supersededBy: run.supersededBy }),
    ...(embedding !== null && { embedding }),
  })
}

export function toEvent(event: LoggedEvent): SyncEvent {
  return create(SyncEventSchema, {
    sequence: event.sequence,
    at: toTime(event.at),
    level: eventLevels[event.level],
    type: eventTypes[event.type],
    message: event.message,
    ...(event.url !== null && { url: event.url }),
    ...(event.sourceUuid !== null && { sourceUuid: event.sourceUuid }),
    ...(event.reason !== null && { reason: event.reason }),
  })
}

/** The trigger that a caller names; `api` where it names none. */
export function readTrigger(trigger: RunTrigger): Trigger {
  const found = Object.entries(triggers).find(([, value]) => value === trigger)
  return (found?.[0] as Trigger | undefined) ?? 'api'
}

function toTimes({ createdAt, startedAt, finishedAt }: Run) {
  return {
    createdAt: toTime(createdAt),
    ...(startedAt !== null && { startedAt: toTime(startedAt) }),
    ...(finishedAt !== null && { finishedAt: toTime(finishedAt) }),
  }
}

export function toTime(at: string): Timestamp {
  return timestampFromDate(new Date(at))
}
