// Answers from OpenAI and from every server that speaks its chat completions.
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

/** Models that can be asked to reason; others refuse a request that asks. */
const reasoningModels =
  /(^|\/)(o\d|gpt-[5-9](?!.*chat)|gpt-oss|qwen3(?!.*(coder|instruct))|deepseek-(r|v3\.|v[4-9])|magistral)|reason|think/i

/** Reasons that are not a whole answer; every other one is, such as a stop word. */
const ends: Record<string, ModelEnd> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
}

export function createOpenaiModel({ provider, url, key, model, timeout }: ProviderSettings): Model {
  return createStreamingModel({
    name: `${provider}:${model}`,
    endpoint: { url: url ?? providerBases.openai, key },
    path: '/chat/completions',
    timeout,
    toContent: ({ instructions, messages, reason }) => ({
      model,
      stream: true,
      messages: [{ role: 'system', content: instructions }, ...toConversation(messages)],
      ...(reason && reasoningModels.test(model) && { reasoning_effort: 'high' }),
    }),
    createReader: createChunkReader,
  })
}

/** A chunk is unvalidated JSON. A refusal in words ends like a filtered answer. */
function createChunkReader(): (message: EventSourceMessage) => EventText {
  const withoutThoughts = createThoughtFilter()
  let refused = false
  return ({ event, data }) => {
    if (data === '[DONE]') throw new Error('the stream ended without a reason')
    const chunk = JSON.parse(data)
    if (event === 'error' || chunk?.error) throw toEventError(chunk?.error ?? chunk)
    const choice = chunk?.choices?.[0]
    const text = choice?.delta?.content
    const finish = choice?.finish_reason
    refused ||= Boolean(choice?.delta?.refusal)
    return {
      ...(typeof text === 'string' && { text: withoutThoughts(text) }),
      ...(finish && { end: refused ? 'content_filter' : (ends[finish] ?? 'stop') }),
    }
  }
}

const open = '<think>'
const close = '</think>'

/**
 * Leaves out what a model thinks aloud: open models behind plain servers put it before the answer, as `<think>…</think>`. Takes the
 * text piece by piece, and holds back only what may still turn out to be a tag.
 *
 *   "<thi" "nk>Let me see.</th" "ink>\n\nCall " "f()."  →  "" "" "Call " "f()."
 */
export function createThoughtFilter(): (text: string) => string {
  let state: 'beginning' | 'thinking' | 'answering' = 'beginning'
  let held = ''
  return (text) => {
    if (state === 'answering') return text
    held += text
    if (state === 'beginning') {
      const start = held.trimStart()
      if (open.startsWith(start.slice(0, open.length)) && start.length < open.length) return ''
      state = start.startsWith(open) ? 'thinking' : 'answering'
    }
    if (state === 'thinking') {
      const end = held.indexOf(close)
      const rest = end < 0 ? '' : held.slice(end + close.length).trimStart()
      // White space between thoughts and answer may come in pieces.
      if (!rest) held = end < 0 ? held.slice(-close.length) : close
      if (!rest) return ''
      held = rest
      state = 'answering'
    }
    return held
  }
}
