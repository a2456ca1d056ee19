// A store with several batches of everything that is moved.
import { readFile } from 'node:fs/promises'
import { analyzeJoined } from '../../services/index/analyze.ts'
import type { SearchIndex } from '../../services/index/search-index.ts'
import { toUnits } from '../../services/index/units.ts'
import { encodeVocabulary } from '../../services/search/vocabulary.ts'
import type { Store } from '../../services/store/store.ts'
import {
  at,
  content,
  event,
  key,
  project,
  publication,
  recrawl,
  run,
  source,
  url,
} from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'

/** Line separators that JSON does not escape, and letters of every kind. */
const oddText = 'harbor\u2028lights\u2029 and \u0000 “quotes” \\ 港の灯 \ud83d\udea2'

export async function fillStore({ store, index }: { store: Store; index: SearchIndex }): Promise<void> {
  for (const team of ['t1', 't2']) {
    await store.teams.insert({ uuid: team, name: `Team ${team}`, createdAt: at(0) })
    await store.projects.insert(project(`p-${team}`, { team, isPrivate: team === 't2' }))
  }
  await store.projects.insert(project())
  for (const n of [1, 2, 3]) {
    const invited = { uuid: `i${n}`, team: 't1', email: `i${n}@d.example`, role: 'viewer' as const }
    await store.invitations.insert({
      ...invited,
      creator: 'm1',
      hash: `hash-i${n}`,
      createdAt: at(0),
      expiresAt: at(9_999),
    })
    const member = {
      uuid: `m${n}`,
      team: 't1',
      name: 'Ann',
      email: `m${n}@d.example`,
      role: 'editor' as const,
    }
    await store.members.insert({ ...member, createdAt: at(n), revision: n })
  }
  for (let n = 0; n < 120; n++) await store.keys.insert(key(`k${n}`, { createdAt: at(n), projects: ['p1'] }))
  await store.sources.insert(source('s1', { credentials: 'encrypted', lastCrawledAt: at(4) }))
  await store.sources.insert(source('s2', { createdAt: at(1) }))
  await fillPages(store, index)
  await fillRuns(store)
  await store.recrawls.insert(recrawl())
  await store.recrawls.insert(recrawl('c2', { status: 'indexed', finishedAt: at(3) }))
  await fillChats(store)
  await store.analytics.record(
    Array.from({ length: 230 }, (_, n) => ({
      uuid: `e${String(n).padStart(3, '0')}`,
      project: 'p1',
      kind: n % 3 === 0 ? 'click' : 'search',
      at: at(n % 7),
      query: `query ${n}`,
      url: null,
      name: null,
      number: n,
    })),
  )
  for (let n = 0; n < 101; n++) {
    await store.vectors.write('e5', [{ hash: `h${n}`, vector: Float32Array.of(n, 0.1, -1e-7) }], at(5))
  }
}

async function fillPages(store: Store, index: SearchIndex) {
  const pages = Array.from({ length: 45 }, (_, n) => {
    const path = `page-${String(n).padStart(2, '0')}`
    const text = n === 7 ? oddText : `The ${path} tells of lights and ${n % 2 ? 'harbors' : 'ships'}.`
    const sources = n % 3 ? ['s1'] : ['s1', 's2']
    return { ...publication(path, { sources, pinned: n === 5, version: 10 + n }), content: content(text) }
  })
  await index.add(
    'p1',
    pages.flatMap((row) => toUnits(row.page, row.content)),
  )
  await store.pages.publish('p1', null, pages)
  for (const path of ['page-01', 'lost'])
    await store.addresses.restore('p1', [
      {
        ...{ url: url(path), status: 'failed', reason: 'timeout', message: 'It took too long.' },
        ...{ at: at(49), sourceUuid: 's1', httpStatus: null },
      },
    ])
  await store.vocabulary.write('p1', encodeVocabulary(await index.vocabulary('p1')))
}

async function fillRuns(store: Store) {
  const pages = {
    discovered: 45,
    pending: 0,
    fetched: 45,
    unchanged: 0,
    added: 45,
    updated: 0,
    skipped: 0,
    failed: 0,
    removed: 2,
  }
  for (let n = 0; n < 12; n++) {
    await store.runs.restore(
      {
        ...run(`done-${n}`, { createdAt: at(n), status: 'completed', finishedAt: at(n + 1) }),
        fence: n,
        pages,
      },
      Array.from({ length: n === 3 ? 130 : 2 }, (_, e) => ({ ...event(`${n}-${e}`), sequence: e + 1 })),
    )
  }
  await store.runs.begin(run('live', { createdAt: at(50) }))
  await store.runs.start('live', at(51))
}

async function fillChats(store: Store) {
  for (let n = 0; n < 104; n++) {
    const uuid = `chat-${n}`
    await store.chats.insert(
      chat(uuid, { createdAt: at(n), writer: 'hash', email: n % 2 ? null : 'ann@docs.test' }),
    )
    if (n > 1) continue
    for (let position = 0; position < 4; position += 2) {
      const id = `${uuid}-${position}`
      await store.chats.append(question(position, { uuid: `q-${id}`, chat: uuid }), null, null)
      const reply = answer(position + 1, { uuid: `a-${id}`, chat: uuid, feedback: 1, comment: oddText })
      await store.chats.append(reply, trace(), null)
    }
  }
}

/** An analyzed query for the index. */
export const termsOf = (text: string): string[] => analyzeJoined(text).split(' ')

/** The rows of an archive, which drivers may return in any order. */
export const rowsIn = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.stringify(sorted(JSON.parse(line))))
    .sort()

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
