// SendMessage and ContinueMessage of ChatService (interface "Chat message", decisions.md sections 5 and 6). What is
// refused here stores nothing and costs no model call.
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import {
  type ChatService,
  type ContinueMessageRequest,
  RetrievalMode,
  type SendMessageRequest,
} from '../../gen/lectern/v1/chat_pb.js'
import { callerOf, projectOf } from '../context.ts'
import { DomainError, rateLimited } from '../errors.ts'
import type { Chat, LimitStore } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import { opening } from '../stream/opening.ts'
import { checkDomain } from './allowed-domain.ts'
import { type ChatAccess, unknownChat } from './chat-access.ts'
import type { RetrievalMode as Mode } from './contextualize.ts'
import { performContinuation } from './continued-turn.ts'
import type { LiveTurns } from './live-turns.ts'
import { performTurn, type TurnDeps } from './turn.ts'

export interface TurnServiceDeps extends Omit<TurnDeps, 'stopOf'> {
  access: ChatAccess
  limits: Pick<LimitStore, 'hit'>
  turns: LiveTurns
}

type TurnService = Pick<ServiceImpl<typeof ChatService>, 'sendMessage' | 'continueMessage'>

const windowMs = 60_000
const mostMessages = 15
const longestTitle = 80

export function createTurnService(deps: TurnServiceDeps): TurnService {
  const turnDeps: TurnDeps = { ...deps, stopOf: (signal) => deps.turns.stopOf(signal) }

  return {
    sendMessage: (request, context) => opening(() => send(request, context)),
    continueMessage: (request, context) => opening(() => goOn(request, context)),
  }

  async function send(request: SendMessageRequest, context: HandlerContext) {
    const text = request.message.trim()
    if (text === '') throw new DomainError('invalid', 'message is required.', { message: ['is required'] })
    const isNew = request.chatUuid === ''
    const found = isNew ? null : await deps.access.find('go_on', request, context)
    if (!isNew && !found) throw unknownChat()
    const project = found?.project ?? projectOf(context)
    checkDomain(project.allowedDomains, request.url ?? null)
    const caller = callerOf(context)
    const chat = found?.chat ?? toChat(request, project, context)
    if (caller.surface === 'socket') await countMessage(chat)

    const turn = {
      project,
      chat,
      isNew,
      text,
      mode: toMode(request, project),
      pageUrl: request.url || null,
      docVersion: request.version || null,
      language: request.language?.toLowerCase() || null,
      writer: deps.access.writerOf(caller),
      email: request.email || null,
      progress: request.progress,
    }
    return deps.turns.run((live) => performTurn(turn, turnDeps, live), context.signal)
  }

  async function goOn(request: ContinueMessageRequest, context: HandlerContext) {
    const found = await deps.access.find('go_on', request, context)
    if (!found) throw unknownChat()
    checkDomain(found.project.allowedDomains, request.url ?? null)
    const continuation = { ...found, message: request.continueMessageId, progress: request.progress }
    return deps.turns.run((live) => performContinuation(continuation, turnDeps, live), context.signal)
  }

  /** A fixed window from the chat's first message in it. */
  async function countMessage({ uuid }: Chat) {
    const now = deps.clock()
    const { count, endsAt } = await deps.limits.hit(`chat:${uuid}`, windowMs, now)
    if (count > mostMessages) {
      throw rateLimited('Too many messages in this chat.', Math.ceil((endsAt - now) / 1000))
    }
  }

  function toChat(request: SendMessageRequest, project: Project, context: HandlerContext): Chat {
    const caller = callerOf(context)
    const at = new Date(deps.clock()).toISOString()
    return {
      uuid: deps.newUuid(),
      team: project.team,
      project: project.uuid,
      createdAt: at,
      updatedAt: at,
      title: toTitle(request.message),
      email: request.email || null,
      metadata: request.metadata || null,
      url: request.url || null,
      messageCount: 0,
      connection: caller.connection,
      writer: deps.access.writerOf(caller),
      writtenAt: at,
    }
  }
}

/** Reasoning asked for by the message comes before its retrieval mode, and that before the project's default. */
function toMode({ thinkMode, retrievalMode }: SendMessageRequest, { config }: Project): Mode {
  if (thinkMode === true) return 'think'
  if (retrievalMode === RetrievalMode.INSTANT) return 'instant'
  if (retrievalMode === RetrievalMode.AUTO || thinkMode === false) return 'auto'
  return config.chat.thinkMode ? 'think' : 'auto'
}

/** The first line of what the reader said, cut at a word. */
function toTitle(message: string): string {
  const line = message.trim().split('\n')[0]!.replace(/\s+/gu, ' ')
  if (line.length <= longestTitle) return line
  const space = line.lastIndexOf(' ', longestTitle)
  return `${line.slice(0, space > 0 ? space : longestTitle).toWellFormed()}…`
}
