// Chats with their messages, the traces of answers, and daily counts. They have their own file, because turns write on the event
// loop and must not wait there for the write lock of a sync. The project's row is in the other file, so chats refer to it by
// uuid.
import { type ChatStore, chatDays, chatTable, createChats, messageTable } from '../chat-store.ts'
import { type CleanupWork, createCleanupWork } from './cleanup.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { hasProject } from './project.ts'
import { createRows, createSharedRows, createTable } from './table.ts'

const tables = {
  chats: createTable(chatTable),
  messages: createTable(messageTable),
  days: createTable(chatDays.days),
  tallies: createTable(chatDays.tallies),
}

export const chatSchema = `
${Object.values(tables)
  .map(({ sql }) => sql)
  .join('\n')}
create trigger chat_deletion after delete on chat begin
  delete from chat_message where chat = old.uuid;
end;
create trigger chat_message_of_deleted before insert on chat_message
  when not exists (select 1 from chat where uuid = new.chat) begin select raise(ignore);
end;
`

/** Chats deleted between two pauses for other writers. */
const maxDeleted = 10

/** `db`: the file of chats. `main`: the file of projects. `cleanup` deletes the chats of deleted projects. */
export function openChats(db: Connection, main: Connection): { chats: ChatStore; cleanup: CleanupWork } {
  const chats = createRows(db, tables.chats)
  const days = createRows(db, tables.days)
  const tallies = createRows(db, tables.tallies)

  const cleanup = createCleanupWork(async (isStopped) => {
    const projects = new Set([...chats.values({}, 'project'), ...days.values({}, 'project')])
    for (const project of projects) {
      if (isStopped()) return
      if (hasProject(main, project)) continue
      for (let isLast = false; !isLast; await yieldToWriters()) {
        if (isStopped()) return
        const found = chats.all({ project }, 'uuid', { limit: maxDeleted })
        for (const { uuid } of found) chats.delete({ uuid })
        isLast = found.length < maxDeleted
      }
      tallies.delete({ project })
      days.delete({ project })
    }
  })

  const store = createChats({
    chats: createSharedRows(db, tables.chats),
    messages: createSharedRows(db, tables.messages),
    days: createSharedRows(db, tables.days),
    tallies: createSharedRows(db, tables.tallies),
    isOpen: (project) => hasProject(main, project),
  })
  return { chats: store, cleanup }
}
