// A full chat: how long a page of its messages takes at the REST port.
import type { Project } from '../../services/store/project.ts'
import type { Store } from '../../services/store/store.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import type { BenchOptions } from './bench-options.ts'
import { openFilledLectern } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { median } from './statistics.ts'

const messages = 400
/** Characters of a message: a long answer of a language model. */
const length = 4_000

export async function measureChatPage({ rounds }: BenchOptions): Promise<Table[]> {
  const { lectern, slug } = await openFilledLectern(fill)
  try {
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

async function fill({ chats }: Store, { uuid: project, team }: Project): Promise<void> {
  await chats.insert(chat('chat', { project, team }))
  const content = 'Renew it before it ends. '.repeat(length / 25)
  for (let position = 0; position < messages; position++) {
    const change = { project, team, content }
    const message = position % 2 ? answer(position, change) : question(position, change)
    await chats.append(message, position % 2 ? trace() : null, null)
  }
}
