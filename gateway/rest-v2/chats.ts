// REST v2: chats and feedback.
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import {
  countRefused,
  fromContinuation,
  fromMessage,
  isContinuation,
  knownChat,
  toTurn,
} from '../rest-chat.ts'
import { fromBody, fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toList, toNothing } from '../rest-write.ts'

const { sendMessage, continueMessage, listChats, getChat, deleteChat, deleteChatsByEmail, submitFeedback } =
  ChatService.method
const all = '/api/v2/projects/{slug}/chats/'
const one = '/api/v2/projects/{slug}/chats/{chat_uuid}/'
const feedback = '/api/v2/projects/{slug}/messages/{message_uuid}/feedback/'

// biome-ignore format: a table
const continuation: Row = { method: 'POST', path: all, call: continueMessage, read: fromContinuation, write: toTurn, status: 200, hidden: ['progress'] }
const instead = { row: continuation, when: isContinuation }

// biome-ignore format: a table
export const chatRows: Row[] = [
  { method: 'GET', path: all, call: listChats, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: all, call: sendMessage, read: fromMessage, write: toTurn, status: 201, also: knownChat, hidden: ['progress'], instead, whenRefused: countRefused },
  { method: 'DELETE', path: all, call: deleteChatsByEmail, read: fromQuery, write: toNothing, status: 204 },
  { method: 'GET', path: one, call: getChat, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'DELETE', path: one, call: deleteChat, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: feedback, call: submitFeedback, read: fromBody, write: toNothing, status: 200 },
]
