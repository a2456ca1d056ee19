// Everything that a store returns about one project, to compare with expected data.
import { eventMeasures } from '../../services/store/analytics.ts'
import { chatMeasures } from '../../services/store/chat.ts'
import type { Store } from '../../services/store/store.ts'
import { at, whole } from '../contract/store-case.ts'
import { talliesOf } from '../contract/store-tallies.ts'

const days = { from: '2026-01-01', to: '2026-01-03' }
const all = { from: at(0), to: at(59) }

/** Rows created for a project contain its name. This removes `name` from them, so that two projects can be compared. */
export async function snapshot(store: Store, name: string): Promise<unknown> {
  const pages = await store.pages.scan(name, null, 100)
  const runs = await store.runs.list(name, whole)
  const chats = await store.chats.list(name, whole)
  const messages = (await Promise.all(chats.rows.map(({ uuid }) => store.chats.messages(uuid)))).flat()
  const state = {
    project: await store.projects.byUuid(name),
    keys: await store.keys.list(name, whole),
    sources: await store.sources.all(name),
    counts: [...(await store.sources.pageCounts(name))],
    pages,
    count: await store.pages.count(name),
    contents: await Promise.all(pages.map(({ uuid }) => store.pages.content(uuid))),
    swept: await store.pages.swept(name, 100),
    runs,
    events: await Promise.all(runs.rows.map(({ uuid }) => store.runs.events(uuid, {}, whole))),
    waiting: await Promise.all(runs.rows.map(({ uuid }) => store.frontier.next(uuid, `${name}-s1`, 100))),
    recrawls: await store.recrawls.list(name, whole),
    terms: (await store.vocabulary.read(name))?.terms.join(),
    events_: await store.analytics.read(name, all, null, 100),
    tallies: [
      await talliesOf(store.analytics, name, days, eventMeasures),
      await talliesOf(store.chats, name, days, chatMeasures),
    ],
    chats,
    messages,
    traces: await Promise.all(messages.map(({ uuid }) => store.chats.trace(uuid))),
    vectors: (await store.vectors.read(name, ['a', 'b'], at(0))).map((vector) => vector?.join()),
  }
  return JSON.parse(JSON.stringify(state).replaceAll(name, 'NAME'))
}
