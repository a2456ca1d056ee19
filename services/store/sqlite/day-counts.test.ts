// Limits of daily counts, long readings, and files of an earlier version.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { project } from '../../../test/contract/store-case.ts'
import { talliesOf } from '../../../test/contract/store-tallies.ts'
import type { AnalyticsEvent } from '../analytics.ts'
import { chatMeasures } from '../chat.ts'
import type { Store } from '../store.ts'
import { chatSteps, migrate, steps } from './schema/migrate.ts'
import { openSqliteStore } from './sqlite-store.ts'

const day = '2026-01-02'
const range = { from: day, to: day }

let made = 0
const searched = (query: string, at = day): AnalyticsEvent => ({
  ...{ uuid: `e${made++}`, team: 't1', project: 'p1', kind: 'search', at: `${at}T00:00:00.000Z` },
  ...{ query, url: null, name: null, number: 1 },
})

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await store.projects.insert(project())
})
afterEach(() => store.close())

test('a day counts 20,000 keys of a measure, and later ones without a key', async () => {
  const queries = Array.from({ length: 20_010 }, (_, n) => `${n}`)
  await store.analytics.record(queries.map((query) => searched(query)))
  await store.analytics.record([searched('3'), searched('new')])
  const [counted] = await store.analytics.daily('p1', range, ['search'])
  expect(counted).toMatchObject({ sum: 20_012, unique: 20_000 })
  const { unique, top } = await store.analytics.keys('p1', range, 'search', 2)
  expect({ unique, top }).toEqual({
    unique: 20_000,
    top: [
      { key: '3', count: 2 },
      { key: '0', count: 1 },
    ],
  })
})

test('other work runs between the steps of a long reading', async () => {
  const queries = Array.from({ length: 16_000 }, (_, n) => `${n}`)
  await store.analytics.record([...queries, '0'].map((query) => searched(query)))
  let [turns, isRead] = [0, false]
  const count = () => {
    turns++
    if (!isRead) setImmediate(count)
  }
  setImmediate(count)
  const counted = await store.analytics.keys('p1', range, 'search', 1)
  isRead = true
  expect(counted).toEqual({ unique: 16_000, top: [{ key: '0', count: 2 }] })
  expect(turns).toBeGreaterThan(2)
})

test('long queries that begin alike are one key of 200 characters', async () => {
  const start = 'q'.repeat(199)
  await store.analytics.record([searched(`${start}😀 a`), searched(`${start}😀 b`)])
  const { top } = await store.analytics.keys('p1', range, 'search', 10)
  expect(top).toEqual([{ key: `${start}\uFFFD`, count: 2 }])
})

test('keys of a range are counted exactly, however many there are', async () => {
  const key = fc.nat(3_000).map(String)
  const days = fc.array(fc.array(key, { maxLength: 2_000, size: 'max' }), { maxLength: 4, size: 'max' })
  await fc.assert(
    fc.asyncProperty(days, async (queries) => {
      const own = await openSqliteStore(':memory:')
      try {
        await own.projects.insert(project())
        for (const [n, keys] of queries.entries())
          await own.analytics.record(keys.map((each) => searched(each, `2026-01-1${n}`)))
        const wanted = new Map<string, number>()
        for (const each of queries.flat()) wanted.set(each, (wanted.get(each) ?? 0) + 1)
        const best = Array.from(wanted, ([key, count]) => ({ key, count })).sort(
          (a, b) => b.count - a.count || (a.key < b.key ? -1 : 1),
        )
        const all = { from: '2026-01-10', to: '2026-01-14' }
        expect(await own.analytics.keys('p1', all, 'search', 10)).toEqual({
          unique: wanted.size,
          top: best.slice(0, 10),
        })
      } finally {
        await own.close()
      }
    }),
    { numRuns: 10 },
  )
})

test('an upgrade counts events and messages of earlier versions within the limits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-counts-'))
  const file = join(folder, 'lectern.db')
  try {
    const old = new DatabaseSync(file)
    migrate(old, steps.slice(0, 9))
    old.exec(`
      insert into project (uuid, team, slug, name, is_private, whitelabel, allowed_domains, config, created_at, updated_at, revision)
        values ('p1', 't1', 'p1', 'P', 0, 0, '[]', '{}', '', '', 1);
      insert into page (uuid, team, project, url, pinned, version, fetched_at, content_hash, pipeline, title, source_type)
        values ('page', 't1', 1, 'https://docs.test/a', 0, 1, '', '', '', 'A', 'site');
      with recursive n (n) as (select 0 union all select n + 1 from n where n < 30000)
        insert into analytics_event (uuid, team, project, kind, at, query, url, number)
        select 'q' || n, 't1', 1, 'search', '${day}T00:00:00.000Z', 'query ' || n, null, 0 from n
        union all select 'c' || n, 't1', 1, 'click', '${day}T00:00:00.000Z', null, 'https://docs.test/a' || case n when 0 then '#b' else n end, 1 from n`)
    old.close()
    const chats = new DatabaseSync(join(folder, 'chats.db'))
    migrate(chats, chatSteps.slice(0, 2))
    chats.exec(`
      insert into chat (uuid, team, project, created_at, updated_at, title, email, url, message_count, written_at)
        values ('c1', 't1', 'p1', '', '', '', 'ann@docs.test', 'https://docs.test/a#b', 2, '');
      insert into chat_message (uuid, chat, position, role, content, created_at, sources, feedback, incomplete,
          continuation_count, continuation_available, revision)
        values ('m0', 1, 0, 'user', ' Why  so? ', '${day}T00:00:00.000Z', '[]', null, 0, 0, 0, 1),
          ('m1', 1, 1, 'assistant', 'Because.', '${day}T00:01:00.000Z', '[{"title":"A","url":"https://docs.test/a#x"}]', 1, 0, 0, 0, 1);
      insert into chat_trace (message, body) values (2, '{"verdict":"answered"}')`)
    chats.close()
    const upgraded = await openSqliteStore(file)
    expect(await upgraded.analytics.daily('p1', range, ['search', 'no_result_search', 'click'])).toEqual([
      { day, measure: 'click', sum: 30_001, unique: 1 },
      { day, measure: 'no_result_search', sum: 30_001, unique: 20_000 },
      { day, measure: 'search', sum: 30_001, unique: 20_000 },
    ])
    const { top } = await upgraded.analytics.keys('p1', range, 'click', 10)
    expect(top).toEqual([{ key: 'https://docs.test/a', count: 1 }])
    expect(await talliesOf(upgraded.chats, 'p1', range, chatMeasures)).toEqual([
      {
        day,
        counts: {
          ...{ chat: { '': 1 }, message: { '': 1 }, user: { 'ann@docs.test': 1 }, positive: { '': 1 } },
          ...{ answered: { '': 1 }, question: { 'Why so?': 1 } },
          ...{ asked_on: { 'https://docs.test/a': 1 }, cited: { 'https://docs.test/a': 1 } },
        },
      },
    ])
    await upgraded.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
