// The Anthropic driver. Passages are sent as documents, from which the provider cites itself.
import type { EventSourceMessage } from 'eventsource-parser'
import type { Model, ModelEnd, ModelMessage, ModelPassage, Quotation } from './model.ts'
import {
  anthropicHeaders,
  type EventText,
  type ProviderSettings,
  providerBases,
  streamAnswer,
  toConversation,
  toEventError,
} from './provider.ts'

/** Anthropic requires a token limit: enough for a long answer, and as much for thinking if requested. */
const answerTokens = 4096
const thoughtTokens = 4096

/** Request fields for thinking, by the first pattern that matches the model. Newer models choose the budget themselves. */
const thinking: [name: RegExp, fields: object][] = [
  [/claude-(2|instant|3-(5|opus|sonnet|haiku))/, {}],
  [
    /claude-3-7|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8}|@|$)/,
    { thinking: { type: 'enabled', budget_tokens: thoughtTokens } },
  ],
  [/./, { thinking: { type: 'adaptive' } }],
]

/** Stop reasons of incomplete answers. All others are complete. */
const ends: Record<string, ModelEnd> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function createAnthropicModel(settings: Omit<ProviderSettings, 'provider'>): Model {
  const { url, model, key, timeout } = settings
  return {
    name: `anthropic:${model}`,
    citesItself: true,
    answer({ instructions, messages, passages, reason }, signal) {
      const content = {
        model,
        stream: true,
        max_tokens: reason ? answerTokens + thoughtTokens : answerTokens,
        system: instructions,
        messages: withDocuments(toConversation(messages), passages),
        ...(reason && thinking.find(([name]) => name.test(model))![1]),
      }
      const endpoint = { url: url ?? providerBases.anthropic, key, headers: anthropicHeaders }
      const call = { endpoint, path: '/v1/messages', content, timeout, readEvent: createReader(passages) }
      return streamAnswer(call, signal)
    },
  }
}

/** Puts the passages before the text of the first message. */
function withDocuments([first, ...others]: ModelMessage[], passages: ModelPassage[]): object[] {
  const documents = passages.map(({ title, url, text }) => ({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: text },
    title,
    context: url,
    citations: { enabled: true },
  }))
  if (first === undefined || documents.length === 0) return first ? [first, ...others] : []
  return [{ ...first, content: [...documents, { type: 'text', text: first.content }] }, ...others]
}

/** Returns a text block's citations at its end, one per document. Skips other events without parsing them. */
function createReader(passages: ModelPassage[]): (event: EventSourceMessage) => EventText {
  const citations: Quotation[] = []
  return ({ event: name, data }) => {
    if (name === 'error') throw toEventError(JSON.parse(data)?.error)
    if (name === 'content_block_stop') return { citations: citations.splice(0) }
    if (name !== 'content_block_delta' && name !== 'message_delta') return {}
    const { delta } = JSON.parse(data)
    if (delta.type === 'text_delta') return { text: delta.text }
    if (delta.type === 'citations_delta') {
      const { document_index: index, cited_text: quote } = delta.citation
      const label = passages[index]?.label
      if (label !== undefined && !citations.some((each) => each.label === label))
        citations.push({ label, quote })
      return {}
    }
    return delta.stop_reason ? { end: ends[delta.stop_reason] ?? 'stop' } : {}
  }
}
