// Erases chats in steps short enough not to hold up anyone, and those that a deleted project leaves behind. They are out
// of every answer already, and found by their project's missing row: a killed process goes on with them.
import type { Connection } from './connection.ts'
import { hasProject } from './project.ts'
import { othersTurn } from './turns.ts'

/** Chats erased in one transaction: a chat takes its messages and traces along. */
const atOnce = 10

/** Erases the chats whose row ids `find` answers, at most `limit`, a few at a time; answers how many went. */
export const eraseChats = async (
  chats: Connection,
  limit: number,
  find: string,
  ...values: string[]
): Promise<number> => {
  let erased = 0
  for (;;) {
    const most = Math.min(atOnce, limit - erased)
    const went = chats.run(`delete from chat where id in (${find} limit ?)`, ...values, most)
    erased += went
    if (went < atOnce || erased >= limit) return erased
    await othersTurn()
  }
}

export interface ChatRemains {
  /** Clears later, without anyone waiting for it. */
  clearSoon(): void
  /** Stops clearing; the next process goes on with it. */
  stop(): void
}

/** `chats`: the file of chats; `main`: that of projects. */
export const createChatRemains = (chats: Connection, main: Connection): ChatRemains => {
  let stopped = false
  const clear = async (): Promise<void> => {
    for (let last = ''; !stopped; ) {
      const project = chats.get<{ project: string }>(
        'select project from chat where project > ? order by project limit 1',
        last,
      )?.project
      if (project === undefined) return
      last = project
      if (hasProject(main, project)) continue
      const find = 'select id from chat where project = ?'
      while (!stopped && (await eraseChats(chats, atOnce, find, project)) > 0) await othersTurn()
    }
  }
  return {
    clearSoon: () => {
      // A failure leaves the chats where they are: the next clearing, or the next start, takes them up.
      othersTurn()
        .then(clear)
        .catch(() => {})
    },
    stop: () => {
      stopped = true
    },
  }
}
