// Writers of REST v1 alone: what older clients read in other words than those of REST v2.
import type { Message } from '@bufbuild/protobuf'
import { ConversationSchema, type GetChatResponse } from '../gen/lectern/v1/chat_pb.js'
import { type GetProjectResponse, ProjectSchema } from '../gen/lectern/v1/project_pb.js'
import { type Json, writeMessage } from './json/write.ts'
import { toTurn } from './rest-chat.ts'
import type { Write } from './rest-row.ts'
import { toResults } from './rest-write.ts'

type Fields = Record<string, Json>

/** The settings of a project, all of them at top level. */
export const toSettings: Write = (_row, answer) => {
  const { project } = answer as GetProjectResponse
  const { whitelabel, is_private, config } = writeMessage(ProjectSchema, project as Message) as Fields
  const { chat, search, mcp } = config as Record<string, Fields>
  return {
    whitelabel,
    is_private,
    initial_message: chat!.initial_message,
    suggested_questions: chat!.suggested_questions,
    think_mode: chat!.think_mode,
    filters: search!.filters,
    mcp_enabled: mcp!.enabled,
    mcp_server_name: mcp!.server_name,
    mcp_metadata_tag: mcp!.metadata_tag,
  } as Json
}

/**
 * The bare array also where a page sent `q` and nothing else: a `#` in what its reader typed has cut off the rest of
 * the query, `domain_filter` too.
 */
export const toOldResults: Write = (row, answer, request, input) => {
  const json = toResults(row, answer, request, input)
  const isCut = input.headers.origin !== '' && [...input.query.keys()].join() === 'q'
  return isCut && !Array.isArray(json) ? (json as Fields).results! : json
}

/** A turn as in REST v2; `incomplete` only where there is an answer, and it was cut. */
export const toOldTurn: Write = (row, answer, request, input) => {
  const turn = toTurn(row, answer, request, input) as Fields
  const message = turn.ai_message as Fields
  const sources = (message.sources as Fields[]).map(({ title, url }) => ({ title: title || url, url }))
  const incomplete = message.incomplete === true && message.stopReason !== 'error'
  return { ...turn, ai_message: { ...message, sources, incomplete } } as Json
}

/** `{messages}`: the newest hundred, oldest first, the sources of each as lines of Markdown links. */
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

/** `[title](url)`, with nothing in either that ends it early. */
function toLink({ title, url }: Fields): string {
  const shown = String(title).replaceAll('[', '(').replaceAll(']', ')').replace(/\s+/g, ' ').trim()
  const address = String(url).replaceAll('(', '%28').replaceAll(')', '%29')
  return `[${shown || address}](${address})`
}

/** The bare array of sources: which there are, and nothing of what they are. */
export const toNames: Write = (row, answer) => {
  const { results } = writeMessage(row.call.output, answer) as { results: Fields[] }
  return results.map(({ uuid, name, type }) => ({ uuid, name, type })) as Json
}

/** `{message, sources}` of what was added. */
export const toAdded: Write = (row, answer, request, input) => ({
  message: 'The sources were added. Start a sync to have them read.',
  sources: toNames(row, answer, request, input),
})

export const toDeleted: Write = () => ({ message: 'The source was deleted.' })

export const toStarted: Write = () => ({ message: 'The sync was started.' })
