// Stores that keep every promise to one process and break one to two: each looks first, and writes a moment later.
import { Conflict } from '../../services/errors.ts'
import type { ChatMeasure } from '../../services/store/chat.ts'
import type { DayCount } from '../../services/store/day-counts.ts'
import type { Store } from '../../services/store/store.ts'
import { instead } from './store-broken.ts'
import { at } from './store-case.ts'

export interface BrokenSharedStore {
  promise: string
  /** Done to each of the two handles. */
  breaks(good: Store): Store
}

/** Whatever another handle does at the same time is done. */
const moment = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The answer that the look gave, whatever the write then came to. */
const unlessTaken = async (isTaken: boolean, field: string, write: () => Promise<unknown>): Promise<void> => {
  if (isTaken) throw new Conflict(field)
  await moment()
  await write().catch((error) => {
    if (!(error instanceof Conflict)) throw error
  })
}

export const brokenSharedStores: BrokenSharedStore[] = [
  {
    promise: 'hits of other processes count',
    breaks: (good) => {
      let count = 0
      return instead('limits', () => ({
        hit: async (_key, ms, now) => ({ count: ++count, endsAt: now + ms }),
      }))(good)
    },
  },
  {
    promise: 'a version is compared when it is written',
    breaks: instead('pages', ({ pages }) => ({
      publish: async (project, fence, all) => {
        const before = await pages.current(all.map(({ page }) => page.uuid))
        const isFree = all.map(({ page, replaces }) => (before.get(page.uuid) ?? 0) === replaces)
        await moment()
        const now = await pages.current(all.map(({ page }) => page.uuid))
        const forced = all.map((each, n) => ({
          ...each,
          page: { ...each.page, fetchedAt: at(59) },
          replaces: isFree[n] ? (now.get(each.page.uuid) ?? 0) : each.replaces,
        }))
        return pages.publish(project, fence, forced)
      },
    })),
  },
  {
    promise: 'an event is written with the outcome that counts',
    breaks: instead('frontier', ({ frontier, runs }) => ({
      settle: async (run, all) => {
        const before = await frontier.states(
          run,
          all.map(({ url }) => url),
        )
        await moment()
        const live = await frontier.settle(run, all)
        for (const [n, { event }] of all.entries())
          if (event && before[n]?.outcome === null) await runs.append(run, [event])
        return live
      },
    })),
  },
  {
    promise: 'a settlement says whether it counted',
    breaks: instead('frontier', ({ frontier, runs }) => ({
      settle: async (run, all) => {
        const isLive = (await runs.live()).some(({ uuid }) => uuid === run)
        await moment()
        await frontier.settle(run, all)
        return isLive
      },
    })),
  },
  {
    promise: 'one end of a run is the first',
    breaks: instead('runs', ({ runs }) => ({
      finish: async (uuid, end) => {
        const isLive = (await runs.live()).some((run) => run.uuid === uuid)
        await moment()
        await runs.finish(uuid, end)
        return isLive
      },
    })),
  },
  {
    promise: 'the run that goes is told',
    breaks: instead('runs', ({ runs }) => ({
      begin: async (run) => {
        const live = (await runs.live()).find(({ project }) => project === run.project)
        await moment()
        const begun = await runs.begin(run)
        return begun && { ...begun, superseded: live?.uuid ?? null }
      },
    })),
  },
  {
    promise: 'one outcome of a recrawl is the first',
    breaks: instead('recrawls', ({ recrawls }) => ({
      settle: async (uuid, to) => {
        const isLive = (await recrawls.live()).some((recrawl) => recrawl.uuid === uuid)
        await moment()
        await recrawls.settle(uuid, to)
        return isLive
      },
    })),
  },
  {
    promise: 'a slug is looked up when it is written',
    breaks: instead('projects', ({ projects }) => ({
      insert: async (row) =>
        unlessTaken((await projects.bySlug(row.slug)) !== null, 'slug', () => projects.insert(row)),
    })),
  },
  {
    promise: 'a revision is compared when it is written',
    breaks: instead('projects', ({ projects }) => ({
      update: async (row) => {
        const isNext = (await projects.byUuid(row.uuid))?.revision === row.revision - 1
        await moment()
        await projects.update(row)
        return isNext
      },
    })),
  },
  {
    promise: 'a position is looked up when it is written',
    breaks: instead('chats', ({ chats }) => ({
      append: async (message, trace, writer) => {
        const messages = await chats.messages(message.chat)
        const isTaken = messages.some(({ position }) => position === message.position)
        await unlessTaken(isTaken, 'position', () => chats.append(message, trace, writer))
        return true
      },
    })),
  },
  {
    promise: 'what another process writes is counted',
    breaks: (good) => {
      let counted: Promise<DayCount<ChatMeasure>[]> | null = null
      return instead('chats', ({ chats }) => ({
        daily: (project, range, measures) => {
          counted ??= chats.daily(project, range, measures)
          return counted
        },
      }))(good)
    },
  },
]
