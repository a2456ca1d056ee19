// The conversation as both providers take it: it begins and ends with the reader, and nothing in it is empty.
import type { ModelMessage } from './model.ts'

/** Models differ in whether a last message of their own is gone on with; a request in words all of them follow. */
const goOn: ModelMessage = {
  role: 'user',
  content:
    'Your answer was cut off. Go on with it exactly where it stops: begin with the very next character, repeat ' +
    'nothing, and say nothing about the cut.',
}

export function toConversation(messages: ModelMessage[]): ModelMessage[] {
  const full = messages.filter((message) => message.content.trim() !== '')
  const begin = full.findIndex((message) => message.role === 'user')
  const conversation = full.slice(Math.max(begin, 0))
  return conversation.at(-1)?.role === 'assistant' ? [...conversation, goOn] : conversation
}
