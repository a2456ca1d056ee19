// Erases chats in steps short enough not to hold up anyone, and those that a deleted project leaves behind. They are out
// of every answer already, and found by their project's missing row: a killed process goes on with them.
import type { ChatCounts } from './chat-message.ts'
import { type CleanupWork, createCleanupWork } from './cleanup.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { hasProject } from './project.ts'

/** Chats erased in one transaction: a chat takes its messages and traces along. */
const atOnce = 10
/** Messages after which the transaction takes no further chat. */
const maxMessages = 200

/** Erases the chats whose row ids `find` answers, at most `limit`, a few at a time; answers how many went. */
export async function eraseChats(
  chats: Connection,
  { count }: ChatCounts,
  limit: number,
  find: string,
  ...values: string[]
): Promise<number> {
  let erased = 0
  for (;;) {
    const wanted = Math.min(atOnce, limit - erased)
    const went = chats.write(() => {
      let [gone, messages] = [0, 0]
      for (const { id } of chats.all<{ id: number }>(`${find} limit ?`, ...values, wanted)) {
        if (messages >= maxMessages) break
        messages += count(-1, 'chat.id = ?', id)
        chats.run('delete from chat where id = ?', id)
        gone++
      }
      return gone
    })
    erased += went
    if (went === 0 || erased >= limit) return erased
    await yieldToWriters()
  }
}

/** `chats`: the file of chats; `main`: that of projects. */
export function createChatCleanup(chats: Connection, main: Connection, counts: ChatCounts): CleanupWork {
  return createCleanupWork(async (isStopped) => {
    for (let last = ''; !isStopped(); ) {
      const project = chats.get<{ project: string }>(
        'select project from chat where project > ? order by project limit 1',
        last,
      )?.project
      if (project === undefined) return
      last = project
      if (hasProject(main, project)) continue
      const find = 'select id from chat where project = ?'
      while (!isStopped() && (await eraseChats(chats, counts, atOnce, find, project)) > 0)
        await yieldToWriters()
    }
  })
}
