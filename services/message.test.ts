// Converts rows to messages: times, enum values, null, and nested messages.
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, it } from 'vitest'
import { ListKeysResponseSchema } from '../gen/lectern/v1/key_pb.js'
import { RunStatus, RunTrigger, SyncRunSchema } from '../gen/lectern/v1/sync_pb.js'
import { TurnEventSchema } from '../gen/lectern/v1/turn_pb.js'
import { toMessage } from './message.ts'

const at = '2026-01-02T03:04:05.678Z'

it('converts times and names of enum values, and leaves null unset', () => {
  const row = {
    uuid: 'r1',
    status: 'completed',
    trigger: 'cli',
    createdAt: at,
    finishedAt: null,
    error: null,
  }
  const run = toMessage(SyncRunSchema, row)
  expect(run).toMatchObject({ status: RunStatus.COMPLETED, trigger: RunTrigger.CLI, sourcesFailed: 0 })
  expect(run.createdAt).toEqual(timestampFromDate(new Date(at)))
  expect(run.finishedAt).toBeUndefined()
  expect(run.error).toBeUndefined()
})

it('omits what the message has no field for, also in lists', () => {
  const row = {
    uuid: 'k1',
    hash: 'secret',
    permissions: ['search'],
    projects: { slugs: ['a'] },
    lastUsedAt: at,
  }
  const [key] = toMessage(ListKeysResponseSchema, { results: [row] }).results
  expect(key).not.toHaveProperty('hash')
  expect(key).toMatchObject({ permissions: ['search'], projects: { slugs: ['a'] } })
  expect(key!.lastUsedAt).toEqual(timestampFromDate(new Date(at)))
})

it('returns messages unchanged, also one of several fields', () => {
  const event = toMessage(TurnEventSchema, { event: { case: 'token', value: { text: 'a' } } as never })
  expect(event.event.case).toBe('token')
  expect(toMessage(TurnEventSchema, event)).toBe(event)
})
