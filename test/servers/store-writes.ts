// One write of each kind, on a project with data of every kind.
import type { Store } from '../../services/store/store.ts'
import {
  at,
  event,
  key,
  listing,
  project,
  publication,
  recrawl,
  run,
  settlement,
  source,
  url,
} from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import type { WrittenParts } from './mongodb-parts.ts'

type Write = (store: WrittenParts, name: string, fence: number) => Promise<unknown>

const published = (name: string, path: string, version: number) =>
  publication(path, { uuid: `${name}-${path}`, project: name, sources: [`${name}-s1`], version })

const said = (name: string, position: number, uuid: string) =>
  question(position, { uuid: `${name}-${uuid}`, project: name, chat: `${name}-chat` })

const answered = (name: string, position: number) =>
  answer(position, { uuid: `${name}-a${position}`, project: name, chat: `${name}-chat` })

/** A project with two sources, a live run, pages, a chat, a key; returns the run's fence. */
export async function prepare(store: Store, name: string): Promise<number> {
  await store.projects.insert(project(name))
  await store.keys.insert(key(`${name}-k1`, { team: name, hash: `${name}-h1` }))
  for (const n of [1, 2]) await store.sources.insert(source(`${name}-s${n}`, { project: name }))
  const begun = await store.runs.begin(run(`${name}-r1`, { project: name }))
  const fence = begun!.run.fence
  await store.runs.start(`${name}-r1`, at(2))
  await store.frontier.discover(
    `${name}-r1`,
    ['a', 'b', 'c'].map((path) => listing(path, `${name}-s1`)),
  )
  await store.pages.publish(
    name,
    fence,
    ['a', 'b'].map((path) => published(name, path, 10)),
  )
  await store.recrawls.insert(recrawl(`${name}-c1`, { project: name }))
  await store.chats.insert(chat(`${name}-chat`, { project: name }))
  await store.chats.append(said(name, 0, 'q0'), null, null)
  await store.chats.append(answered(name, 1), trace(), null)
  return fence
}

const settled = (name: string, path: string) =>
  settlement(path, { source: `${name}-s1`, event: event(`page_added:${path}`, { url: url(path) }) })

export const writes: Record<string, Write> = {
  'keys.insert': (store, name) => store.keys.insert(key(`${name}-k2`, { team: name, hash: `${name}-h2` })),
  'keys.touch': (store, name) => store.keys.touch(`${name}-k1`, at(5)),
  'keys.delete': (store, name) => store.keys.delete(name, `${name}-k1`),
  'projects.insert': (store, name) => store.projects.insert(project(`${name}-new`)),
  'projects.update': (store, name) => store.projects.update(project(name, { name: 'New', revision: 2 })),
  'projects.delete': (store, name) => store.projects.delete(name),
  'sources.insert': (store, name) => store.sources.insert(source(`${name}-s3`, { project: name })),
  'sources.update': (store, name) =>
    store.sources.update(source(`${name}-s1`, { project: name, name: 'New', revision: 2 })),
  'sources.crawled': (store, name) => store.sources.crawled(`${name}-s1`, at(9), url('to'), null),
  'sources.delete': (store, name) => store.sources.delete(name, `${name}-s1`),
  'runs.begin': (store, name) => store.runs.begin(run(`${name}-r2`, { project: name, createdAt: at(9) })),
  'runs.append': (store, name) => store.runs.append(`${name}-r1`, [event('x'), event('y')]),
  'runs.finish': (store, name) =>
    store.runs.finish(`${name}-r1`, { status: 'completed', at: at(9), error: null }),
  'frontier.discover': (store, name) =>
    store.frontier.discover(
      `${name}-r1`,
      ['c', 'd', 'e'].map((path) => listing(path, `${name}-s1`)),
    ),
  'frontier.settle': (store, name) =>
    store.frontier.settle(
      `${name}-r1`,
      ['a', 'b'].map((path) => settled(name, path)),
    ),
  'frontier.walked': (store, name) =>
    store.frontier.walked(`${name}-r1`, [{ source: `${name}-s1`, url: url('a') }]),
  'pages.publish': (store, name, fence) =>
    store.pages.publish(name, fence, [published(name, 'a', 11), published(name, 'n', 11)]),
  'pages.seen': (store, name, fence) =>
    store.pages.seen(name, fence, [{ uuid: `${name}-a`, sources: [`${name}-s2`], fetchedAt: at(8) }]),
  'pages.remove': (store, name, fence) => store.pages.remove(name, fence, [`${name}-a`]),
  'pages.hold': (store, name, fence) => store.pages.hold(`${name}-r1`, fence, [`${name}-a`]),
  'pages.assignSources': (store, name, fence) => store.pages.assignSources(`${name}-r1`, fence, []),
  'pages.forget': async (store, name, fence) => {
    await store.pages.publish(name, fence, [published(name, 'a', 11)])
    await store.pages.forget(name, [{ page: `${name}-a`, version: 10 }])
  },
  'recrawls.settle': (store, name) =>
    store.recrawls.settle(`${name}-c1`, { status: 'indexed', reason: null, finishedAt: at(9) }),
  'vocabulary.write': (store, name) => store.vocabulary.write(name, new Uint8Array([1, 2, 3])),
  'analytics.record': (store, name) =>
    store.analytics.record(
      [1, 2].map((n) => ({
        uuid: `${name}-e${n}`,
        project: name,
        kind: 'search',
        at: at(n),
        query: 'q',
        url: null,
        name: null,
        number: n,
      })),
    ),
  'chats.insert': (store, name) => store.chats.insert(chat(`${name}-chat2`, { project: name })),
  'chats.append': (store, name) =>
    store.chats.append(said(name, 2, 'q2'), null, { hash: 'w', at: at(9), email: 'ann@docs.test' }),
  'chats.rewrite': (store, name) =>
    store.chats.rewrite(
      { ...answered(name, 1), content: 'All of it.', revision: 2 },
      trace({ model: 'other' }),
    ),
  'chats.react': (store, name) => store.chats.react(`${name}-a1`, { reaction: 1, comment: 'Good' }),
  'chats.delete': (store, name) => store.chats.delete(name, `${name}-chat`),
  'chats.deleteByEmail': (store, name) => store.chats.deleteByEmail(name, 'ann@docs.test'),
  'vectors.write': (store, name) =>
    store.vectors.write(
      name,
      [
        { hash: 'a', vector: Float32Array.of(1, 2) },
        { hash: 'b', vector: Float32Array.of(3) },
      ],
      at(1),
    ),
}
