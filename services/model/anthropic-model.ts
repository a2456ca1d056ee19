// Answers from Anthropic's messages.
import type { EventSourceMessage } from 'eventsource-parser'
import type { Model, ModelEnd } from './model.ts'
import {
  createStreamingModel,
  type EventText,
  type ProviderSettings,
  providerBases,
  toConversation,
  toEventError,
} from './provider.ts'

/** Anthropic requires a limit: a long answer, and as much again for thoughts where they are asked for. */
const answerTokens = 4096
const thoughtTokens = 4096

/** How a model is asked to think; later ones decide for themselves how much. The first pattern decides. */
const thinking: [name: RegExp, fields: object][] = [
  [/claude-(2|instant|3-(5|opus|sonnet|haiku))/, {}],
  [
    /claude-3-7|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8}|@|$)/,
    { thinking: { type: 'enabled', budget_tokens: thoughtTokens } },
  ],
  [/./, { thinking: { type: 'adaptive' } }],
]

/** Reasons that are not a whole answer; every other one is. */
const ends: Record<string, ModelEnd> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function createAnthropicModel({
  url,
  model,
  key,
  timeout,
}: Omit<ProviderSettings, 'provider'>): Model {
  return createStreamingModel({
    name: `anthropic:${model}`,
    endpoint: { url: url ?? providerBases.anthropic, key, headers: { 'anthropic-version': '2026-10-21' } },
    path: '/v1/messages',
    timeout,
    toContent: ({ instructions, messages, reason }) => ({
      model,
      stream: true,
      max_tokens: reason ? answerTokens + thoughtTokens : answerTokens,
      system: instructions,
      messages: toConversation(messages),
      ...(reason && thinking.find(([name]) => name.test(model))![1]),
    }),
    createReader: () => readEvent,
  })
}

/** Other events are skipped unread. */
function readEvent({ event: name, data }: EventSourceMessage): EventText {
  if (name === 'error') throw toEventError(JSON.parse(data)?.error)
  if (name !== 'content_block_delta' && name !== 'message_delta') return {}
  const { delta } = JSON.parse(data)
  if (delta.type === 'text_delta') return { text: delta.text }
  return delta.stop_reason ? { end: ends[delta.stop_reason] ?? 'stop' } : {}
}
