// The driver for OpenAI and other servers with its chat completions API.
import type { EventSourceMessage } from 'eventsource-parser'
import type { Model, ModelEnd } from './model.ts'
import {
  type EventText,
  type ProviderSettings,
  providerBases,
  streamAnswer,
  toConversation,
  toEventError,
} from './provider.ts'

/** Models that accept `reasoning_effort`. Others reject requests with it. */
const reasoningModels =
  /(^|\/)(o\d|gpt-[5-9](?!.*chat)|gpt-oss|qwen3(?!.*(coder|instruct))|deepseek-(r|v3\.|v[4-9])|magistral)|reason|think/i

/** Finish reasons of incomplete answers. All others are complete. */
const ends: Record<string, ModelEnd> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
}

export function createOpenaiModel({ provider, url, key, model, timeout }: ProviderSettings): Model {
  return {
    name: `${provider}:${model}`,
    answer({ instructions, messages, reason }, signal) {
      const content = {
        model,
        stream: true,
        messages: [{ role: 'system', content: instructions }, ...toConversation(messages)],
        ...(reason && reasoningModels.test(model) && { reasoning_effort: 'high' }),
      }
      const endpoint = { url: url ?? providerBases.openai, key }
      const call = { endpoint, path: '/chat/completions', content, timeout, readEvent: createChunkReader() }
      return streamAnswer(call, signal)
    },
  }
}

/** Chunks are unvalidated JSON. A refusal ends as `content_filter`. */
function createChunkReader(): (message: EventSourceMessage) => EventText {
  const withoutThoughts = createThoughtFilter()
  let refused = false
  return ({ event, data }) => {
    if (data === '[DONE]') throw new Error('the stream ended without a stop reason')
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
 * Removes a model's thinking: some servers send it before the answer, as `<think>…</think>`. Takes the text piece by piece, and
 * buffers only a possible start of a tag.
 *
 *   "<thi" "nk>Let me see.</th" "ink>\n\nCall " "f()."  →  "" "" "Call " "f()."
 */
export function createThoughtFilter(): (text: string) => string {
  let state: 'beginning' | 'thinking' | 'answering' = 'beginning'
  let buffer = ''
  return (text) => {
    if (state === 'answering') return text
    buffer += text
    if (state === 'beginning') {
      const start = buffer.trimStart()
      if (open.startsWith(start.slice(0, open.length)) && start.length < open.length) return ''
      state = start.startsWith(open) ? 'thinking' : 'answering'
    }
    if (state === 'thinking') {
      const end = buffer.indexOf(close)
      const rest = end < 0 ? '' : buffer.slice(end + close.length).trimStart()
      // White space after the tag may be split over several pieces.
      if (!rest) buffer = end < 0 ? buffer.slice(-close.length) : close
      if (!rest) return ''
      buffer = rest
      state = 'answering'
    }
    return buffer
  }
}
