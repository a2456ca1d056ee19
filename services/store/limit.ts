// Fixed windows and blocks for message limits, across all processes of the store. Times are milliseconds since 1970.
import { endOfPrefix } from './paging.ts'
import type { Rows, Table } from './rows.ts'

interface Window {
  /** The key. */
  uuid: string
  count: number
  endsAt: number
}

interface Block {
  uuid: string
  until: number
}

export const windowTable: Table<Window> = {
  name: 'limit_window',
  fields: 'uuid count:int endsAt:int',
  indexes: ['endsAt'],
}

export const blockTable: Table<Block> = { name: 'limit_block', fields: 'uuid until:int', indexes: ['until'] }

export type LimitStore = ReturnType<typeof createLimits>

export function createLimits(windows: Rows<Window>, blocks: Rows<Block>) {
  return {
    /**
     * Increments the count of the key's window, which begins with the first hit and ends `windowMs` later. Returns the new count
     * and the end of the window.
     */
    async hit(key: string, windowMs: number, now: number): Promise<{ count: number; endsAt: number }> {
      // Repeated if another call begins the window meanwhile.
      for (;;) {
        const open = await windows.increment({ uuid: key, endsAt: { $gt: now } }, 'count', 1)
        if (open !== null) return { count: open.count, endsAt: open.endsAt }
        const first = { count: 1, endsAt: now + windowMs }
        const hasBegun =
          (await windows.set({ uuid: key, endsAt: { $lte: now } }, first)) ||
          (await windows.insert({ uuid: key, ...first }))
        if (hasBegun) return first
      }
    },
    /** Decrements the count of the key's window, unless it has ended. */
    async takeBack(key: string, now: number): Promise<void> {
      await windows.increment({ uuid: key, endsAt: { $gt: now }, count: { $gt: 0 } }, 'count', -1)
    },
    /** Blocks the key until the time, unless it is already blocked longer. */
    async block(key: string, until: number): Promise<void> {
      while (!(await blocks.insert({ uuid: key, until }))) {
        const block = await blocks.one({ uuid: key })
        if (block === null) continue
        if (block.until < until) await blocks.set({ uuid: key, until: { $lt: until } }, { until })
        return
      }
    },
    /** End of the key's block; 0: not blocked. */
    blockedUntil: async (key: string) => (await blocks.one({ uuid: key }))?.until ?? 0,
    /** Lists at most `limit` blocks that end after the time, the latest end first. */
    async blocks(after: number, limit: number): Promise<{ key: string; until: number }[]> {
      const { rows } = await blocks.page({ until: { $gt: after } }, '-until', { offset: 0, limit })
      return rows.map(({ uuid, until }) => ({ key: uuid, until }))
    },
    /** Lists at most `limit` windows of keys with the prefix that end after the time, the highest count first. */
    async busiest(prefix: string, after: number, limit: number) {
      const ofPrefix = { uuid: { $gte: prefix, $lt: endOfPrefix(prefix) }, endsAt: { $gt: after } }
      const { rows } = await windows.page(ofPrefix, '-count uuid', { offset: 0, limit })
      return rows.map(({ uuid, count, endsAt }) => ({ key: uuid, count, endsAt }))
    },
    /** Deletes windows and blocks that have ended. */
    async prune(now: number): Promise<void> {
      await windows.delete({ endsAt: { $lte: now } })
      await blocks.delete({ until: { $lte: now } })
    },
  }
}
