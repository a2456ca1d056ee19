// The wire format of answers of both providers: OpenAI's chat completions and Anthropic's messages, both as
// server-sent events.

export type End = 'stop' | 'length' | 'content_filter'

/** The events of one answer, in order; a dialect tracks the open block. */
export interface Dialect {
  name: 'openai' | 'anthropic'
  token(text: string): string
  /** Reasoning of the model, which no reader sees. */
  reasoning(text: string): string
  /** The words of a document that support the open text, if the provider itself cites. */
  cites(document: number, words: string): string
  /** A refusal in the provider's format, if it has such events. */
  refusal(text: string): string
  /** Null ends the stream without a reason. */
  end(reason: End | null): string
  /** An error in mid-stream. */
  error(message: string): string
}

export function createOpenaiDialect(model: string): Dialect {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`
  return {
    name: 'openai',
    token: (text) => chunk({ content: text }),
    reasoning: (text) => chunk({ reasoning_content: text }),
    cites: () => '',
    refusal: (text) => chunk({ refusal: text }),
    end: (reason) => `${reason ? chunk({}, reason) : ''}data: [DONE]\n\n`,
    error: (message) => `data: ${JSON.stringify({ error: { message, type: 'server_error' } })}\n\n`,
  }
}

const anthropicEnds = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' }

export function createAnthropicDialect(model: string): Dialect {
  let block: { index: number; type: 'text' | 'thinking' } | null = null
  let started = false
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

  const start = () => {
    if (started) return ''
    started = true
    const message = {
      id: 'msg_scripted',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    return event('message_start', { message }) + event('ping', {})
  }
  const stop = () => (block ? event('content_block_stop', { index: block.index }) : '')
  const open = (type: 'text' | 'thinking') => {
    if (block?.type === type) return ''
    const before = start() + stop()
    block = { index: block ? block.index + 1 : 0, type }
    const content = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' }
    return before + event('content_block_start', { index: block.index, content_block: content })
  }
  const delta = (type: 'text' | 'thinking', fields: object) =>
    open(type) +
    event('content_block_delta', { index: block!.index, delta: { type: `${type}_delta`, ...fields } })

  return {
    name: 'anthropic',
    token: (text) => delta('text', { text }),
    reasoning: (text) => delta('thinking', { thinking: text }),
    cites: (document, words) =>
      event('content_block_delta', {
        index: block!.index,
        delta: {
          type: 'citations_delta',
          citation: {
            type: 'char_location',
            cited_text: words,
            document_index: document,
            document_title: null,
          },
        },
      }),
    refusal: (text) => delta('text', { text }),
    end: (reason) =>
      start() +
      stop() +
      event('message_delta', {
        delta: { stop_reason: reason && anthropicEnds[reason], stop_sequence: null },
        usage: { output_tokens: 1 },
      }) +
      event('message_stop', {}),
    error: (message) => event('error', { error: { type: 'overloaded_error', message } }),
  }
}
