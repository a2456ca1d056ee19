// ChatService over stored chats: list, read, delete, delete by email, feedback.
// SendMessage and ContinueMessage are in turn-handler.ts.
import type { ChatService, ListChatsRequest } from '../../gen/lectern/v1/chat_pb.js'
import { TurnOutcome } from '../../gen/lectern/v1/turn_pb.js'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { readEnum, withoutNulls } from '../message.ts'
import type { Handlers } from '../routes.ts'
import type { ChatFilter } from '../store/chat-store.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Store } from '../store/store.ts'
import { type ChatAccess, unknownChat } from './chat-access.ts'

type KeptChats = Omit<Handlers<typeof ChatService>, 'sendMessage' | 'continueMessage'>

export function createChatService(deps: { store: Pick<Store, 'chats'>; access: ChatAccess }): KeptChats {
  const { access, store } = deps
  return {
    async listChats(request, context) {
      const { uuid } = projectOf(context)
      const [page, filter] = [readPageRequest(request), readFilter(request)]
      const isFiltered = Object.keys(filter).length > 0
      const { count, rows } = await (isFiltered
        ? store.chats.search(uuid, filter, page)
        : store.chats.list(uuid, page))
      return { count, results: rows }
    },

    async getChat(request, context) {
      const found = await access.find('read', request, context)
      if (!found) throw unknownChat()
      const messages = await store.chats.messages(found.chat.uuid, readPageRequest(request))
      const traces = await Promise.all(messages.map(({ uuid }) => store.chats.trace(uuid)))
      const shown = messages.map((message, at) => ({ ...message, outcome: traces[at]?.verdict ?? null }))
      const shareToken = access.shareToken(found.chat.uuid)
      return { conversation: { ...found.chat, shareToken, messages: shown.reverse() } }
    },

    async getTrace({ messageUuid }, context) {
      const message = await store.chats.message(messageUuid)
      const isOwn = message?.project === projectOf(context).uuid
      const trace = isOwn ? await store.chats.trace(messageUuid) : null
      if (trace === null) throw new DomainError('not_found', 'There is no such answer.')
      return { trace: { ...trace, outcome: trace.verdict } }
    },

    async deleteChat({ chatUuid }, context) {
      if (!(await store.chats.delete(projectOf(context).uuid, chatUuid))) throw unknownChat()
      return {}
    },

    async deleteChatsByEmail({ email }, context) {
      return { deleted: await store.chats.deleteByEmail(projectOf(context).uuid, email) }
    },

    async submitFeedback({ messageUuid, reaction, comment, restoreToken }, context) {
      const message = await store.chats.message(messageUuid)
      const claim = { chatUuid: message?.chat ?? '', restoreToken }
      if (!message || !(await access.find('rate', claim, context))) throw unknownMessage()
      if (message.role !== 'assistant') {
        const takes = 'must name an answer, not a message of the reader'
        throw new DomainError('invalid', `message_uuid ${takes}.`, { message_uuid: [takes] })
      }
      // The contract requires a reaction; the answer may have been deleted since it was read.
      const feedback = { reaction: reaction!, comment: comment || null }
      if (!(await store.chats.react(message.uuid, feedback))) throw unknownMessage()
      return {}
    },
  }
}

function unknownMessage(): DomainError {
  return new DomainError('not_found', 'There is no such message.')
}

function readFilter({ outcome, reaction, q, startDate, endDate }: ListChatsRequest): ChatFilter {
  return withoutNulls({
    verdict: readEnum(TurnOutcome, outcome),
    reaction,
    text: q || null,
    from: startDate,
    // `~` sorts after every time of the end date.
    before: endDate && `${endDate}~`,
  })
}
