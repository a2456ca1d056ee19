// The REST calls of the chat (REST v2: chats, feedback). Authority is the restore token; failures are SearchFailures.
import { readSources } from './turn.js'

/** `call(path, {method, body, headers, signal})`: see search-api.js. */
export function createChatApi({ call }) {
  const withToken = ({ restoreToken }) => ({ 'x-chat-restore-token': restoreToken })

  return {
    /** The turns of a chat: see readTurns. Its messages come by pages, newest first. */
    async conversation(chat) {
      const path = `chats/${encodeURIComponent(chat.chatId)}/`
      const messages = []
      for (let next = ''; next !== null; ) {
        const page = await call(`${path}?limit=100&offset=${messages.length}`, { headers: withToken(chat) })
        messages.push(...page.messages)
        next = page.next ?? null
      }
      return readTurns({ messages: messages.reverse() })
    },

    /** The rest of an answer that was cut by its length: what the turn becomes. */
    async goOn(chat, messageId, signal) {
      const body = { chat_uuid: chat.chatId, continue_message_id: messageId }
      const { ai_message: answer } = await call('chats/', {
        method: 'POST',
        headers: withToken(chat),
        body,
        signal,
      })
      return {
        text: String(answer.message),
        sources: readSources(answer.sources),
        incomplete: answer.incomplete === true,
        canContinue: answer.continuationAvailable === true,
        stopReason: answer.stopReason ?? null,
      }
    },

    react: (chat, messageId, reaction) =>
      call(`messages/${encodeURIComponent(messageId)}/feedback/`, {
        method: 'POST',
        headers: withToken(chat),
        body: { reaction },
      }),
  }
}

/** Turns as turn.js has them, of the messages of a conversation: a question, and its answer where there is one. */
export function readTurns({ messages }) {
  const turns = []
  for (const { uuid, role, content, sources, feedback, incomplete, stop_reason: stopReason } of messages) {
    if (role === 'user') {
      turns.push({ question: content, requestId: uuid, answered: false })
      continue
    }
    const turn = turns.at(-1)
    if (!turn || turn.answered) continue
    Object.assign(turn, {
      answered: true,
      messageId: uuid,
      text: content,
      sources: readSources(sources),
      feedback,
      incomplete,
      stopReason,
    })
  }
  return turns
}
