// A full chat: how long a page of its messages takes at the REST port.
import { join } from 'node:path'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { startLectern } from '../e2e/lectern-process.ts'
import type { BenchOptions } from './bench-options.ts'
import { openLectern } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { median } from './statistics.ts'

const messages = 400
/** Characters of a message: a long answer of a language model. */
const length = 4_000

export async function measureChatPage({ rounds }: BenchOptions): Promise<Table[]> {
  let lectern = await openLectern()
  try {
    const [{ slug }] = (await lectern.call('GET', '/api/v2/projects/')).body.results
    await lectern.kill('SIGTERM')
    await fill(lectern.data, slug)
    lectern = await startLectern({ data: lectern.data })
    const path = `/api/v2/projects/${slug}/chats/chat/`
    const rows = []
    for (const limit of [20, 100]) {
      const times: number[] = []
      let offset = 0
      for (let read = 0; read < 20 * rounds; read++) {
        const begun = performance.now()
        const { body } = await lectern.call('GET', `${path}?limit=${limit}&offset=${offset}`)
        times.push(performance.now() - begun)
        offset = body.next === null ? 0 : offset + limit
      }
      rows.push({ 'messages a page': limit, 'median ms': median(times), 'slowest ms': Math.max(...times) })
    }
    return [
      { title: `A chat with ${messages} messages of ${length} characters`, rows },
      {
        title: 'Chat: targets',
        rows: rows.map((row) =>
          toTarget(`a page of ${row['messages a page']}, ms`, row['median ms'], '≤', 20),
        ),
      },
    ]
  } finally {
    await lectern.remove()
  }
}

async function fill(data: string, slug: string): Promise<void> {
  const store = await openSqliteStore(join(data, 'lectern.db'))
  try {
    const { uuid: project, team } = (await store.projects.bySlug(slug))!
    await store.chats.insert(chat('chat', { project, team }))
    const content = 'Renew it before it ends. '.repeat(length / 25)
    for (let position = 0; position < messages; position++) {
      const change = { project, team, content }
      const message = position % 2 ? answer(position, change) : question(position, change)
      await store.chats.append(message, position % 2 ? trace() : null, null)
    }
  } finally {
    await store.close()
  }
}
