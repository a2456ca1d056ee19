// SendMessage and ContinueMessage of ChatService. A request rejected here stores nothing and calls no model.
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import {
  type ChatService,
  type ContinueMessageRequest,
  RetrievalMode,
  type SendMessageRequest,
} from '../../gen/lectern/v1/chat_pb.js'
import type { RetrievalMode as Mode } from '../answer/follow-up.ts'
import { shorten } from '../answer/titles.ts'
import { callerOf, may, projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { isCounted } from '../guard/guard.ts'
import type { MessageLimits } from '../limit/message-limits.ts'
import { toNetwork } from '../limit/network-key.ts'
import { checkDomain } from '../project/allowed-domain.ts'
import { meaningTrailer } from '../search/meaning.ts'
import type { Project } from '../store/project.ts'
import { lazyStream } from '../stream.ts'
import { type ChatAccess, type ChatOfProject, unknownChat } from './chat-access.ts'
import type { LiveTurn, LiveTurns } from './live-turns.ts'
import { performContinuation, performTurn, type TurnDeps } from './turn.ts'

interface TurnServiceDeps extends Omit<TurnDeps, 'stopOf'> {
  access: ChatAccess
  limits: Pick<MessageLimits, 'count' | 'countChat' | 'takeBack'>
  turns: LiveTurns
}

const maxTitle = 80

export function createTurnService(
  deps: TurnServiceDeps,
): Pick<ServiceImpl<typeof ChatService>, 'sendMessage' | 'continueMessage'> {
  const turnDeps: TurnDeps = { ...deps, stopOf: (signal) => deps.turns.stopOf(signal) }

  return {
    sendMessage: (request, context) => lazyStream(() => send(request, context)),
    continueMessage: (request, context) => lazyStream(() => continueTurn(request, context)),
  }

  async function send(request: SendMessageRequest, context: HandlerContext) {
    const isNew = request.chatUuid === ''
    const found = isNew ? begin(request, context) : await deps.access.find('continue', request, context)
    const { project, chat } = await admit(found, request, context)
    const text = request.message.trim()
    if (text === '') throw new DomainError('invalid', 'message is required.', { message: ['is required'] })
    const turn = {
      project,
      chat,
      isNew,
      text,
      mode: toMode(request, project),
      pageUrl: request.url || null,
      docVersion: request.version || null,
      language: request.language?.toLowerCase() || null,
      writer: deps.access.writerOf(callerOf(context)),
      email: request.email || null,
      progress: request.progress,
    }
    const perform = async (live: LiveTurn) => {
      const meanings = await performTurn(turn, turnDeps, live)
      if (meanings.length > 0) context.responseTrailer.set(meaningTrailer, meanings.join())
    }
    return run(project, perform, context)
  }

  async function continueTurn(request: ContinueMessageRequest, context: HandlerContext) {
    const found = await deps.access.find('continue', request, context)
    const { project, chat } = await admit(found, request, context)
    const continuation = { project, chat, message: request.continueMessageId, progress: request.progress }
    const perform = (live: LiveTurn) => performContinuation(continuation, turnDeps, live)
    return run(project, perform, context)
  }

  /** Counts every message, including rejected ones and those to an unknown chat. */
  async function admit(
    found: ChatOfProject | null,
    { url }: { url?: string | undefined },
    context: HandlerContext,
  ) {
    if (!isCounted(context)) await deps.limits.count(callerOf(context), found?.project ?? null)
    if (!found) throw unknownChat()
    await deps.limits.countChat(callerOf(context), found.project, found.chat.uuid)
    checkDomain(found.project.allowedDomains, url ?? null)
    return found
  }

  /** A turn rejected for lack of capacity does not count toward the caller's message limit. */
  async function run(project: Project, perform: (live: LiveTurn) => Promise<void>, context: HandlerContext) {
    const caller = callerOf(context)
    const network = may(caller, project, 'chats_create') ? null : toNetwork(caller.address)
    try {
      return deps.turns.run({ project: project.uuid, network }, perform, context.signal)
    } catch (error) {
      if (error instanceof DomainError && error.reason === 'rate_limited') {
        await deps.limits.takeBack(caller, project)
      }
      throw error
    }
  }

  function begin(request: SendMessageRequest, context: HandlerContext): ChatOfProject {
    const project = projectOf(context)
    const caller = callerOf(context)
    const at = new Date(deps.clock()).toISOString()
    const chat = {
      uuid: deps.newUuid(),
      project: project.uuid,
      createdAt: at,
      updatedAt: at,
      title: shorten(request.message.trim().split('\n')[0]!.replace(/\s+/gu, ' '), maxTitle),
      email: request.email || null,
      metadata: request.metadata || null,
      url: request.url || null,
      messageCount: 0,
      connection: caller.connection,
      writer: deps.access.writerOf(caller),
      writtenAt: at,
    }
    return { project, chat }
  }
}

/** Precedence: the message's think_mode, its retrieval_mode, the project's default. */
function toMode({ thinkMode, retrievalMode }: SendMessageRequest, { config }: Project): Mode {
  if (thinkMode === true) return 'think'
  if (retrievalMode === RetrievalMode.INSTANT) return 'instant'
  if (retrievalMode === RetrievalMode.AUTO || thinkMode === false) return 'auto'
  return config.chat.thinkMode ? 'think' : 'auto'
}
