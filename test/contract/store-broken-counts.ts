// Stores that break one promise each of what they count: events, and messages of chats.
import { type EventMeasure, eventMeasures } from '../../services/store/analytics.ts'
import type { ChatMeasure } from '../../services/store/chat.ts'
import type { DayCounts } from '../../services/store/day-counts.ts'
import { type BrokenStore, instead } from './store-broken.ts'

export const brokenCountStores: BrokenStore[] = [
  {
    promise: 'an analytics event is written once',
    noun: 'analytics',
    breaks: (good) => {
      let n = 0
      return instead('analytics', ({ analytics }) => ({
        record: (events) =>
          analytics.record(events.map((event) => ({ ...event, uuid: `${event.uuid}-${n++}` }))),
        read: async (project, range, after, limit) =>
          (await analytics.read(project, range, after, limit)).map((event) => ({
            ...event,
            uuid: event.uuid.replace(/-\d+$/, ''),
          })),
      }))(good)
    },
  },
  {
    promise: 'the end of a span of time is not in it',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      read: (project, { from, to }, after, limit) =>
        analytics.read(project, { from, to: `${to}~` }, after, limit),
    })),
  },
  {
    promise: 'the time before which events go is not in it',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      expire: (project, before, limit) => analytics.expire(project, `${before}~`, limit),
    })),
  },
  {
    promise: 'no more events go at once than asked for',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      expire: (project, before) => analytics.expire(project, before, 100),
    })),
  },
  {
    promise: 'an event counts once, however often it is recorded',
    noun: 'analytics',
    breaks: (good) => {
      let recorded = 0
      return instead('analytics', ({ analytics }) => ({
        record: async (events) => {
          recorded++
          await analytics.record(events)
        },
        counts: async (project, range, measures) =>
          (await analytics.counts(project, range, measures)).map((day) => ({
            ...day,
            counts: day.counts.map((count) => count * recorded),
          })),
      }))(good)
    },
  },
  {
    promise: 'what events add up to goes with them',
    noun: 'analytics',
    breaks: (good) => {
      let before: DayCounts<EventMeasure>[] = []
      return instead('analytics', ({ analytics }) => ({
        counts: async (project, range, measures) => {
          const now = await analytics.counts(project, range, measures)
          if (now.length > 0) before = now
          return before
        },
      }))(good)
    },
  },
  {
    promise: 'keys of events that went are not told',
    noun: 'analytics',
    breaks: (good) => {
      const told = new Map<number, string>()
      return instead('analytics', ({ analytics }) => ({
        countedKeys: async (project, days, measure) => {
          const keys = await analytics.countedKeys(project, days, measure)
          for (const [hash, key] of keys) told.set(hash, key)
          return told
        },
      }))(good)
    },
  },
  {
    promise: 'days outside the range are not added up',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      counts: (project, { from }, measures) =>
        analytics.counts(project, { from, to: '2026-12-31' }, measures),
    })),
  },
  {
    promise: 'no other measures are told than those asked for',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      counts: (project, range) => analytics.counts(project, range, eventMeasures),
    })),
  },
  {
    promise: 'an event is read as it was recorded',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      read: async (project, range, after, limit) =>
        (await analytics.read(project, range, after, limit)).map((event) => ({ ...event, name: null })),
    })),
  },
  {
    promise: 'days outside the range are not counted',
    noun: 'chatCounts',
    breaks: instead('chats', ({ chats }) => ({
      counts: (project, { from }, measures) => chats.counts(project, { from, to: '2026-12-31' }, measures),
    })),
  },
  {
    promise: 'what was said and erased is not counted',
    noun: 'chatCounts',
    breaks: (good) => {
      let before: DayCounts<ChatMeasure>[] = []
      return instead('chats', ({ chats }) => ({
        counts: async (project, range, measures) => {
          const now = await chats.counts(project, range, measures)
          if (now.length > 0) before = now
          return before
        },
      }))(good)
    },
  },
  {
    promise: 'what a person wrote is not told when it is erased',
    noun: 'chatCounts',
    breaks: (good) => {
      const told = new Map<number, string>()
      return instead('chats', ({ chats }) => ({
        countedKeys: async (project, days, measure) => {
          const keys = await chats.countedKeys(project, days, measure)
          for (const [hash, key] of keys) told.set(hash, key)
          return told
        },
      }))(good)
    },
  },
  {
    promise: 'an answer counts as it came out last',
    noun: 'chatCounts',
    breaks: instead('chats', ({ chats }) => ({
      rewrite: async (message, trace) =>
        chats.rewrite(message, { ...trace, verdict: (await chats.trace(message.uuid))?.verdict ?? null }),
    })),
  },
  {
    promise: 'what a message counts as is known at once',
    noun: 'chatCounts',
    breaks: (good) => {
      let first: DayCounts<ChatMeasure>[] = []
      return instead('chats', ({ chats }) => ({
        counts: async (project, range, measures) => {
          if (first.length === 0) first = await chats.counts(project, range, measures)
          return first
        },
      }))(good)
    },
  },
  {
    promise: 'messages count for the person who wrote them',
    noun: 'chatCounts',
    breaks: instead('chats', ({ chats }) => ({
      counts: async (project, range, measures) =>
        (await chats.counts(project, range, measures)).filter(({ measure }) => measure !== 'user'),
    })),
  },
]
