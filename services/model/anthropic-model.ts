// Answers from Anthropic's messages.
import Anthropic from '@anthropic-ai/sdk'
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages'
import type { EventSourceMessage } from 'eventsource-parser'
import type { Model, ModelEnd } from './model.ts'
import {
  createProviderFetch,
  createStreamingModel,
  type EventText,
  toConversation,
  toEventError,
} from './provider-answer.ts'

interface AnthropicModelSettings {
  /** Base address without `/v1`; null is Anthropic's own. */
  url: string | null
  model: string
  key: string
  /** Seconds. */
  timeout: number
}

/** Anthropic requires a limit: a long answer, and as much again for thoughts where they are asked for. */
const answerTokens = 4096
const thoughtTokens = 4096

type Thinking = Pick<MessageCreateParamsStreaming, 'thinking'>

/** How a model is asked to think; later ones decide for themselves how much. The first pattern decides. */
const thinking: [name: RegExp, thinking: Thinking][] = [
  [/claude-(2|instant|3-(5|opus|sonnet|haiku))/, {}],
  [
    /claude-3-7|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8}|@|$)/,
    { thinking: { type: 'enabled', budget_tokens: thoughtTokens } },
  ],
  [/./, { thinking: { type: 'adaptive' } }],
]

/** Events that say something; the others are skipped unread. */
const telling: ReadonlySet<string> = new Set(['content_block_delta', 'message_delta'])

/** Reasons that are not a whole answer; every other one is. */
const ends: Record<string, ModelEnd> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function createAnthropicModel({ url, model, key, timeout }: AnthropicModelSettings): Model {
  const client = new Anthropic({
    baseURL: url ?? 'https://api.anthropic.com',
    apiKey: key,
    webhookKey: null,
    maxRetries: 0,
    // The stream watches for silence.
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    openTelemetry: false,
    fetch: createProviderFetch(),
  })
  return createStreamingModel({
    name: `anthropic:${model}`,
    key,
    silentTimeout: timeout * 1000,
    open: ({ instructions, messages, reason }, signal) =>
      client.messages
        .create(
          {
            model,
            stream: true,
            max_tokens: reason ? answerTokens + thoughtTokens : answerTokens,
            system: instructions,
            messages: toConversation(messages),
            ...(reason && thinking.find(([name]) => name.test(model))![1]),
          },
          { signal },
        )
        .asResponse(),
    createReader: () => readEvent,
  })
}

function readEvent({ event: name = '', data }: EventSourceMessage): EventText {
  if (name === 'error') throw toEventError(JSON.parse(data)?.error)
  if (!telling.has(name)) return {}
  const event: RawMessageStreamEvent = JSON.parse(data)
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
    return { text: event.delta.text }
  const stopped = event.type === 'message_delta' && event.delta.stop_reason
  return stopped ? { end: ends[stopped] ?? 'stop' } : {}
}
