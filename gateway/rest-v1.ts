// REST v1, for integrations and widgets older than v2: its readers and writers, then its table. Rows are in the order of
// rest-v2.ts: a diff of the two tables shows what v2 changed.
import type { Message } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  ChatService,
  ConversationSchema,
  type GetChatResponse,
  type SendMessageRequest,
} from '../gen/lectern/v1/chat_pb.js'
import { type GetProjectResponse, ProjectSchema, ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { Refusal } from './errors.ts'
import { uploadParts } from './form.ts'
import { refuse } from './json/read.ts'
import { type Json, writeMessage } from './json/write.ts'
import { readPastedQuery } from './query.ts'
import {
  countRefused,
  fromKnown,
  fromPath,
  fromQuery,
  knownChat,
  type Read,
  type RestRow,
  toNothing,
  toResults,
  toTurn,
  type Write,
} from './rest-row.ts'

/** Reads a message. If it starts a chat, it must name its project. */
export const fromOldMessage: Read = (row, input) => {
  const message = fromKnown(row, input) as SendMessageRequest
  const isNowhere = message.slug === '' && message.chatUuid === ''
  refuse(isNowhere ? { project_slug: ['is required where chat_uuid is empty'] } : {})
  return message
}

/** Turns `not_found` into `forbidden`: older clients then start a new chat. */
export function forbidUnknown(error: unknown): never {
  if (error instanceof ConnectError && error.code === Code.NotFound) {
    throw new Refusal('forbidden', error.rawMessage)
  }
  throw error
}

type Fields = Record<string, Json>

/** Name of a setting in v1 → its path in v2. */
export const settingPaths = {
  whitelabel: 'whitelabel',
  is_private: 'is_private',
  initial_message: 'config.chat.initial_message',
  suggested_questions: 'config.chat.suggested_questions',
  think_mode: 'config.chat.think_mode',
  filters: 'config.search.filters',
  mcp_enabled: 'config.mcp.enabled',
  mcp_server_name: 'config.mcp.server_name',
  mcp_metadata_tag: 'config.mcp.metadata_tag',
}

/** The settings of a project as a flat object. */
export const toSettings: Write = (_row, answer) => {
  const { project } = answer as GetProjectResponse
  const json = writeMessage(ProjectSchema, project as Message)
  const settings = Object.entries(settingPaths).map(([name, path]) => {
    const value = path.split('.').reduce((group, part) => (group as Fields)[part]!, json)
    return [name, value]
  })
  return Object.fromEntries(settings)
}

/**
 * Also returns the bare array if `q` is the only parameter: a `#` that the reader typed cuts off the rest of the query,
 * including `domain_filter`.
 */
export const toOldResults: Write = (row, answer, request, input) => {
  const json = toResults(row, answer, request, input)
  const isCut = input.headers.origin !== '' && [...input.query.keys()].join() === 'q'
  return isCut && !Array.isArray(json) ? (json as Fields).results! : json
}

/** A turn as in REST v2, but `incomplete` is only set for an answer that was cut. */
export const toOldTurn: Write = (row, answer, request, input) => {
  const turn = toTurn(row, answer, request, input) as Fields
  const message = turn.ai_message as Fields
  const sources = (message.sources as Fields[]).map(({ title, url }) => ({ title: title || url, url }))
  const incomplete = message.incomplete === true && message.stopReason !== 'error'
  return { ...turn, ai_message: { ...message, sources, incomplete } } as Json
}

/** `{messages}`: the newest hundred, oldest first, with sources as lines of Markdown links. */
export const toOldConversation: Write = (_row, answer) => {
  const { conversation } = answer as GetChatResponse
  const { messages } = writeMessage(ConversationSchema, conversation as Message) as { messages: Fields[] }
  return {
    messages: messages.toReversed().map(({ uuid, role, content, feedback, sources }) => ({
      content,
      is_human_message: role === 'user',
      uuid,
      feedback,
      sources: (sources as Fields[]).map(toLink).join('\n'),
    })),
  } as Json
}

/** `[title](url)`, with brackets and parentheses replaced. */
function toLink({ title, url }: Fields): string {
  const label = String(title).replaceAll('[', '(').replaceAll(']', ')').replace(/\s+/g, ' ').trim()
  const address = String(url).replaceAll('(', '%28').replaceAll(')', '%29')
  return `[${label || address}](${address})`
}

/** The bare array of sources, without their settings. */
export const toNames: Write = (row, answer) => {
  const { results } = writeMessage(row.call.output, answer) as { results: Fields[] }
  return results.map(({ uuid, name, type }) => ({ uuid, name, type })) as Json
}

export const toAdded: Write = (row, answer, request, input) => ({
  message: 'The sources were added. Start a sync to have them read.',
  sources: toNames(row, answer, request, input),
})

export const toDeleted: Write = () => ({ message: 'The source was deleted.' })

export const toStarted: Write = () => ({ message: 'The sync was started.' })

const base = '/api/v1'

const project = ProjectService.method
const source = SourceService.method
const sync = SyncService.method
const search = SearchService.method
const chat = ChatService.method

// biome-ignore format: a table
const rows: RestRow[] = [
  { method: 'GET', path: '/projects/{slug}/', call: project.getProject, read: fromQuery, write: toSettings, status: 200 },

  { method: 'GET', path: '/projects/{slug}/sources/', call: source.listSources, read: fromPath, write: toNames, status: 200, fixed: { all: true }, hidden: ['limit', 'offset'] },
  { method: 'POST', path: '/projects/{slug}/sources/', call: source.uploadSources, read: fromPath, write: toAdded, status: 200, parts: { ...uploadParts, 'urls[]': 'urls', 'sitemaps[]': 'sitemaps' }, ignoresUnknown: true },
  { method: 'DELETE', path: '/projects/{slug}/sources/{source_uuid}/', call: source.deleteSource, read: fromQuery, write: toDeleted, status: 200 },

  { method: 'POST', path: '/projects/{slug}/sources/sync/', call: sync.startSync, read: fromKnown, write: toStarted, status: 200, fixed: { unlessRunning: true }, hidden: ['trigger'] },

  { method: 'GET', path: '/projects/{slug}/search/', call: search.search, read: fromQuery, write: toOldResults, status: 200, readQuery: readPastedQuery, hidden: ['uncounted', 'version', 'language', 'fields'] },
  { method: 'POST', path: '/projects/{slug}/search/click/', call: search.reportClick, read: fromKnown, write: toNothing, status: 200, hidden: ['query', 'url', 'position'] },

  { method: 'POST', path: '/chats/', call: chat.sendMessage, read: fromOldMessage, write: toOldTurn, status: 201, also: knownChat, projectInBody: true, renamed: { project_slug: 'slug' }, hidden: ['progress', 'retrieval_mode', 'version', 'language'], whenRefused: countRefused, whenFailed: forbidUnknown },
  { method: 'GET', path: '/chats/{chat_uuid}/', call: chat.getChat, read: fromPath, write: toOldConversation, status: 200, fixed: { limit: 100 }, hidden: ['slug', 'limit', 'offset'], whenFailed: forbidUnknown },
  { method: 'POST', path: '/messages/{message_uuid}/feedback/', call: chat.submitFeedback, read: fromKnown, write: toNothing, status: 200, hidden: ['slug'] },
]

export const restV1: RestRow[] = rows.map((row) => ({ ...row, path: base + row.path }))
