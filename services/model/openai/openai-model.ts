// Answers from OpenAI and from every server that speaks its chat completions.
import type { EventSourceMessage } from 'eventsource-parser'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { createStreamingModel, type Said, toConversation } from '../answer-stream.ts'
import type { Model, ModelEnd } from '../model.ts'
import { toEventError } from '../model-fault.ts'
import { createThoughtFilter } from '../thoughts.ts'
import { createOpenaiClient, type Endpoint } from './openai-client.ts'

interface OpenaiModelSettings extends Endpoint {
  provider: 'openai' | 'openai-compatible'
  model: string
  /** Seconds. */
  timeout: number
}

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

export function createOpenaiModel(settings: OpenaiModelSettings): Model {
  const { provider, model, key, timeout } = settings
  const client = createOpenaiClient(settings)
  return createStreamingModel({
    name: `${provider}:${model}`,
    key,
    patience: timeout * 1000,
    open: ({ instructions, messages, reason }, signal) =>
      client.chat.completions
        .create(
          {
            model,
            stream: true,
            messages: [{ role: 'system', content: instructions }, ...toConversation(messages)],
            ...(reason && reasoningModels.test(model) && { reasoning_effort: 'high' as const }),
          },
          { signal },
        )
        .asResponse(),
    createReader: createChunkReader,
  })
}

/** A chunk is what a server sent, whatever its type promises. A refusal in words is filtered like one without. */
function createChunkReader(): (message: EventSourceMessage) => Said {
  const withoutThoughts = createThoughtFilter()
  let refused = false
  return ({ event, data }) => {
    if (data === '[DONE]') throw new Error('the stream ended without a reason')
    const chunk: ChatCompletionChunk & { error?: unknown } = JSON.parse(data)
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
