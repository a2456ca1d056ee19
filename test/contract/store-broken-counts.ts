// Stores that break one promise each of what they count: events, and messages of chats.
import { type EventMeasure, eventMeasures } from '../../services/store/analytics.ts'
import type { ChatMeasure } from '../../services/store/chat.ts'
import type { DayCount, KeyCount } from '../../services/store/day-counts.ts'
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
        daily: async (project, range, measures) =>
          (await analytics.daily(project, range, measures)).map((day) => ({
            ...day,
            sum: day.sum * recorded,
          })),
      }))(good)
    },
  },
  {
    promise: 'what events add up to goes with them',
    noun: 'analytics',
    breaks: (good) => {
      let before: DayCount<EventMeasure>[] = []
      return instead('analytics', ({ analytics }) => ({
        daily: async (project, range, measures) => {
          const now = await analytics.daily(project, range, measures)
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
      const known = new Map<string, KeyCount[]>()
      return instead('analytics', ({ analytics }) => ({
        keys: async (project, range, measure, limit) => {
          const keys = await analytics.keys(project, range, measure, limit)
          const place = `${project} ${range.from} ${measure}`
          if (keys.top.length > 0) known.set(place, keys.top)
          return { ...keys, top: known.get(place) ?? [] }
        },
      }))(good)
    },
  },
  {
    promise: 'days outside the range are not added up',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      daily: (project, { from }, measures) => analytics.daily(project, { from, to: '2026-12-31' }, measures),
    })),
  },
  {
    promise: 'no other measures are told than those asked for',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      daily: (project, range) => analytics.daily(project, range, eventMeasures),
    })),
  },
  {
    promise: 'keys come in the order of their counts',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      keys: async (...values) => {
        const { unique, top } = await analytics.keys(...values)
        return { unique, top: top.toReversed() }
      },
    })),
  },
  {
    promise: 'no more keys are read than asked for',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      keys: (project, range, measure) => analytics.keys(project, range, measure, 100),
    })),
  },
  {
    promise: 'a key of several days is one',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      keys: async (project, range, measure, limit) => {
        const days = await analytics.daily(project, range, [measure])
        const { top } = await analytics.keys(project, range, measure, limit)
        return { unique: days.reduce((sum, { unique }) => sum + unique, 0), top }
      },
    })),
  },
  {
    promise: 'the text of the keys of a day is bounded',
    noun: 'analytics',
    breaks: instead('analytics', ({ analytics }) => ({
      keys: async (project, range, measure, limit) => {
        const [keys, days] = [
          await analytics.keys(project, range, measure, limit),
          await analytics.daily(project, range, [measure]),
        ]
        return { ...keys, unique: Math.max(keys.unique, ...days.map(({ sum }) => (sum > 500 ? sum : 0))) }
      },
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
      daily: (project, { from }, measures) => chats.daily(project, { from, to: '2026-12-31' }, measures),
    })),
  },
  {
    promise: 'what was said and erased is not counted',
    noun: 'chatCounts',
    breaks: (good) => {
      let before: DayCount<ChatMeasure>[] = []
      return instead('chats', ({ chats }) => ({
        daily: async (project, range, measures) => {
          const now = await chats.daily(project, range, measures)
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
      const known = new Map<string, KeyCount[]>()
      return instead('chats', ({ chats }) => ({
        keys: async (project, range, measure, limit) => {
          const keys = await chats.keys(project, range, measure, limit)
          const place = `${project} ${range.from} ${measure}`
          if (keys.top.length > 0) known.set(place, keys.top)
          return { ...keys, top: known.get(place) ?? [] }
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
      let first: DayCount<ChatMeasure>[] = []
      return instead('chats', ({ chats }) => ({
        daily: async (project, range, measures) => {
          if (first.length === 0) first = await chats.daily(project, range, measures)
          return first
        },
      }))(good)
    },
  },
  {
    promise: 'messages count for the person who wrote them',
    noun: 'chatCounts',
    breaks: instead('chats', ({ chats }) => ({
      daily: async (project, range, measures) =>
        (await chats.daily(project, range, measures)).filter(({ measure }) => measure !== 'user'),
    })),
  },
]
