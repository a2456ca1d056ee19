// A gateway with sockets and a real core whose ChatService plays scripts, to test how a turn travels from
// the core to the reader, not its content. Rate limits are kept in a real store.
import { randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import type { GatewayOptions } from '../../../gateway/gateway.ts'
import type { ContinueMessageRequest, SendMessageRequest } from '../../../gen/lectern/v1/chat_pb.js'
import {
  StopReason,
  type TurnEventSchema,
  type TurnOutcome,
  TurnStage,
  TurnState,
} from '../../../gen/lectern/v1/turn_pb.js'
import { type Caller, callerOf } from '../../../services/context.ts'
import { createLimitService, createMessageLimits } from '../../../services/limit/message-limits.ts'
import { meaningTrailer } from '../../../services/search/meaning.ts'
import { openSqliteStore } from '../../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../services/store/store.ts'
import { networkKey, openTestGateway, type TestGateway } from './lectern-gateway.ts'

type Event = NonNullable<MessageInitShape<typeof TurnEventSchema>['event']>
export type Script = (request: SendMessageRequest, signal: AbortSignal) => AsyncIterable<Event>

/** The clock of rate limits is stopped, so that no minute ends while a test fills it. */
const beginning = new Date()

export const chatUuid = '0f4d1b52-7f0a-4c06-8d5e-000000000001'
export const messageId = '0f4d1b52-7f0a-4c06-8d5e-000000000002'

export interface ChatLab extends TestGateway {
  /** The script for each message. A message without one is answered with its own words. */
  scripts: Record<string, Script>
  /** All messages with their callers, oldest first. */
  sent: { request: SendMessageRequest; caller: Caller }[]
  /** Requested continuations. Each is answered with `all of it`. */
  continued: ContinueMessageRequest[]
  store: Store
  socketUrl(path: string): string
}

/** `store`: shared with another lab; `fallback`: the script for messages without one. */
export async function openChatLab(
  options: Partial<GatewayOptions> = {},
  given: { store?: Store; fallback?: Script } = {},
): Promise<ChatLab> {
  const store = given.store ?? (await openSqliteStore(':memory:'))
  const scripts: Record<string, Script> = {}
  const sent: ChatLab['sent'] = []
  const continued: ContinueMessageRequest[] = []

  async function* play(request: SendMessageRequest, context: HandlerContext) {
    sent.push({ request, caller: callerOf(context) })
    const script = scripts[request.message] ?? given.fallback ?? echo
    for await (const event of script(request, context.signal)) yield { event: { event } }
    context.responseTrailer.set(meaningTrailer, 'used,busy')
  }

  async function* goOn(request: ContinueMessageRequest) {
    continued.push(request)
    yield { event: { event: withoutQuestion(final('all of it', { newChat: false })) } }
  }

  const limits = createMessageLimits({
    limits: store.limits,
    networkKey,
    now: () => beginning,
    report: (error) => {
      throw error
    },
  })
  const gateway = await openTestGateway(
    { trustProxy: ['127.0.0.1'], ...options },
    {
      implementation: {
        chat: { sendMessage: play, continueMessage: goOn },
        limits: createLimitService(limits),
      },
    },
  )
  return {
    ...gateway,
    scripts,
    sent,
    continued,
    store,
    socketUrl: (path) => `ws://127.0.0.1:${gateway.port}${path}`,
    async close() {
      await gateway.close()
      if (!given.store) await store.close()
    },
  }
}

/** Answers with the words of the message, one token per word. */
export async function* echo(request: SendMessageRequest): AsyncGenerator<Event> {
  const words = request.message.split(/(?<= )/)
  if (request.progress) yield status(1, TurnStage.WRITING_ANSWER, TurnState.STARTED)
  for (const [at, word] of words.entries()) yield token(word, at === 0)
  if (request.progress) yield status(2, TurnStage.WRITING_ANSWER, TurnState.COMPLETED)
  yield final(request.message)
  if (request.progress) yield status(3, TurnStage.COMPLETED, TurnState.COMPLETED)
}

export function token(text: string, isFirst = false): Event {
  const value = { slug: 'open', chatUuid, messageId, text, ...(isFirst && { restoreToken: 'restore' }) }
  return { case: 'token', value }
}

export function status(sequence: number, stage: TurnStage, state: TurnState): Event {
  return { case: 'status', value: { sequence, stage, state, detail: { searchRound: 1 } } }
}

export function final(
  message: string,
  change: { stopReason?: StopReason; newChat?: boolean; outcome?: TurnOutcome } = {},
): Event {
  const { stopReason = StopReason.STOP, newChat = true, outcome } = change
  return {
    case: 'final',
    value: {
      slug: 'open',
      chatUuid,
      restoreToken: 'restore',
      userMessageId: randomUUID(),
      newChat,
      ...(outcome && { outcome }),
      aiMessage: {
        from: 'ai',
        message,
        messageId,
        timestamp: timestampNow(),
        sources: [{ title: 'Home', url: 'https://d.example/', quote: 'Words of home.' }],
        incomplete: stopReason !== StopReason.STOP,
        stopReason,
      },
      ...(stopReason !== StopReason.STOP && { isError: true, retryable: true }),
    },
  }
}

function withoutQuestion(event: Event): Event {
  const { userMessageId: _, ...value } = event.value as Extract<Event, { case: 'final' }>['value'] & object
  return { case: 'final', value } as Event
}
