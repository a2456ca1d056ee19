// Message limits. Each change is a single statement, so that all processes share the counts.
import type { LimitStore } from '../limit.ts'
import { endOfPrefix } from '../paging.ts'
import type { Connection } from './connection.ts'

/** Keys are hashes of network addresses. Times are milliseconds since 1970. */
export const limitSchema = `
create table limit_window (
  key text primary key,
  count integer not null,
  ends_at integer not null
) strict, without rowid;

create table limit_block (
  key text primary key,
  until integer not null
) strict, without rowid;
`

export function createLimits(db: Connection): LimitStore {
  return {
    hit: async (key, windowMs, now) =>
      db.get<{ count: number; endsAt: number }>(
        `insert into limit_window (key, count, ends_at) values (?1, 1, ?2 + ?3)
         on conflict (key) do update set
           count = case when ends_at <= ?2 then 1 else count + 1 end,
           ends_at = case when ends_at <= ?2 then excluded.ends_at else ends_at end
         returning count, ends_at as endsAt`,
        [key, now, windowMs],
      )!,
    takeBack: async (key, now) => {
      const sql = 'update limit_window set count = count - 1 where key = ? and ends_at > ? and count > 0'
      db.run(sql, [key, now])
    },
    block: async (key, until) => {
      const sql = `insert into limit_block (key, until) values (?, ?)
        on conflict (key) do update set until = max(until, excluded.until)`
      db.run(sql, [key, until])
    },
    blockedUntil: async (key) =>
      db.get<{ until: number }>('select until from limit_block where key = ?', [key])?.until ?? 0,
    blocks: async (after, limit) =>
      db.all('select key, until from limit_block where until > ? order by until desc limit ?', [
        after,
        limit,
      ]),
    busiest: async (prefix, after, limit) =>
      db.all(
        `select key, count, ends_at as endsAt from limit_window where key >= ? and key < ? and ends_at > ?
         order by count desc, key limit ?`,
        [prefix, endOfPrefix(prefix), after, limit],
      ),
    prune: async (now) => {
      db.run('delete from limit_window where ends_at <= ?', [now])
      db.run('delete from limit_block where until <= ?', [now])
    },
  }
}
