// ChatService, what is kept of chats: list, read, delete, erase a person's, feedback (decisions.md section 5, "Chat").
// Sending and continuing are the turn's.
import type { ServiceImpl } from '@connectrpc/connect'
import type { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { readPageRequest } from '../page-request.ts'
import type { Store } from '../store/store.ts'
import { type ChatAccess, unknownChat } from './chat-access.ts'
import { toChat, toConversation } from './chat-message.ts'

export interface ChatServiceDeps {
  store: Pick<Store, 'chats'>
  access: ChatAccess
}

type Methods = 'listChats' | 'getChat' | 'deleteChat' | 'deleteChatsByEmail' | 'submitFeedback'

export function createChatService({
  store,
  access,
}: ChatServiceDeps): Pick<ServiceImpl<typeof ChatService>, Methods> {
  return {
    async listChats(request, context) {
      const { count, rows } = await store.chats.list(projectOf(context).uuid, readPageRequest(request))
      return { count, results: rows.map(toChat) }
    },

    async getChat(request, context) {
      const found = await access.find('read', request, context)
      if (!found) throw unknownChat()
      return { conversation: toConversation(found.chat, await store.chats.messages(found.chat.uuid)) }
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
