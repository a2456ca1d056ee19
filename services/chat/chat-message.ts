// Chats and their messages as they are read back (decisions.md section 5, "Chat record", "conversation").
import { create } from '@bufbuild/protobuf'
import {
  type Chat as ChatRecord,
  ChatSchema,
  type Conversation,
  type ConversationMessage,
  ConversationMessageSchema,
  ConversationSchema,
  MessageRole,
} from '../../gen/lectern/v1/chat_pb.js'
import { StopReason } from '../../gen/lectern/v1/turn_pb.js'
import type { Chat, ChatMessage, ChatRole, ChatStop } from '../store/chat.ts'
import { toTime } from '../sync/sync-message.ts'

const roles: Record<ChatRole, MessageRole> = {
  user: MessageRole.USER,
  assistant: MessageRole.ASSISTANT,
}

export const stopReasons: Record<ChatStop, StopReason> = {
  stop: StopReason.STOP,
  length: StopReason.LENGTH,
  content_filter: StopReason.CONTENT_FILTER,
  error: StopReason.ERROR,
  interrupted: StopReason.INTERRUPTED,
  disconnected: StopReason.DISCONNECTED,
}

export function toChat(chat: Chat): ChatRecord {
  return create(ChatSchema, fieldsOf(chat))
}

/** `messages` by position. */
export function toConversation(chat: Chat, messages: ChatMessage[]): Conversation {
  return create(ConversationSchema, { ...fieldsOf(chat), messages: messages.map(toMessage) })
}

function fieldsOf(chat: Chat) {
  return {
    uuid: chat.uuid,
    createdAt: toTime(chat.createdAt),
    updatedAt: toTime(chat.updatedAt),
    title: chat.title,
    messageCount: chat.messageCount,
    ...(chat.email !== null && { email: chat.email }),
    ...(chat.metadata !== null && { metadata: chat.metadata }),
    ...(chat.url !== null && { url: chat.url }),
  }
}

function toMessage(message: ChatMessage): ConversationMessage {
  return create(ConversationMessageSchema, {
    uuid: message.uuid,
    role: roles[message.role],
    content: message.content,
    createdAt: toTime(message.createdAt),
    sources: message.sources,
    incomplete: message.incomplete,
    ...(message.feedback !== null && { feedback: message.feedback }),
    ...(message.stopReason !== null && { stopReason: stopReasons[message.stopReason] }),
  })
}
