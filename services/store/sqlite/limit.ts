// Limits of messages. One statement each, so that several processes count as one.
import type { LimitStore } from '../limit.ts'
import type { Connection } from './connection.ts'

export function createLimits(db: Connection): LimitStore {
  return {
    hit: async (key, windowMs, now) => {
      const { count, endsAt } = db.get<{ count: number; endsAt: number }>(
        `insert into limit_window (key, count, ends_at) values (?1, 1, ?2 + ?3)
       on conflict (key) do update set
         count = case when ends_at <= ?2 then 1 else count + 1 end,
         ends_at = case when ends_at <= ?2 then excluded.ends_at else ends_at end
       returning count, ends_at as endsAt`,
        key,
        now,
        windowMs,
      )!
      return { count, endsAt }
    },
    takeBack: async (key, now) => {
      db.run(
        'update limit_window set count = count - 1 where key = ? and ends_at > ? and count > 0',
        key,
        now,
      )
    },
    block: async (key, until) => {
      db.run(
        'insert into limit_block (key, until) values (?, ?) on conflict (key) do update set until = max(until, excluded.until)',
        key,
        until,
      )
    },
    blockedUntil: async (key) =>
      db.get<{ until: number }>('select until from limit_block where key = ?', key)?.until ?? 0,
    blocks: async (after, limit) =>
      db
        .all<{ key: string; until: number }>(
          'select key, until from limit_block where until > ? order by until desc limit ?',
          after,
          limit,
        )
        .map((row) => ({ ...row })),
    prune: async (now) => {
      db.run('delete from limit_window where ends_at <= ?', now)
      db.run('delete from limit_block where until <= ?', now)
    },
  }
}
