// Converts sync runs and their events to messages.
import { create } from '@bufbuild/protobuf'
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
import { toEnum, toTime, withoutNulls } from '../message.ts'
import type { LoggedEvent, Run, RunWithCounts } from '../store/run.ts'

export function toSummary(run: Run): SyncSummary {
  return create(SyncSummarySchema, toFacts(run))
}

/** `embedding`: null to omit it. */
export function toRun(run: RunWithCounts, embedding: EmbeddingProgress | null): SyncRun {
  const { pages, sourcesFailed, error, supersededBy } = run
  return create(SyncRunSchema, {
    ...toFacts(run),
    trigger: toEnum(RunTrigger, run.trigger),
    ...withoutNulls({ pages, sourcesFailed, error, supersededBy, embedding }),
  })
}

export function toEvent({ id, at, level, type, ...event }: LoggedEvent): SyncEvent {
  return create(SyncEventSchema, {
    ...withoutNulls(event),
    at: toTime(at),
    level: toEnum(EventLevel, level),
    type: toEnum(EventType, type),
  })
}

function toFacts({ uuid, status, createdAt, startedAt, finishedAt }: Run) {
  return {
    uuid,
    status: toEnum(RunStatus, status),
    createdAt: toTime(createdAt),
    ...withoutNulls({ startedAt: toTime(startedAt), finishedAt: toTime(finishedAt) }),
  }
}
