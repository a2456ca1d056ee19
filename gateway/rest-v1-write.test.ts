// What older clients parse: sources as lines of Markdown links.
import { create } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GetChatResponseSchema, MessageRole } from '../gen/lectern/v1/chat_pb.js'
import { restV1, toOldConversation } from './rest-v1.ts'

const row = restV1.find(({ write }) => write === toOldConversation)!

function linesOf(sources: { title: string; url: string }[]): string {
  const message = { uuid: 'm', role: MessageRole.ASSISTANT, content: 'Text', sources }
  const answer = create(GetChatResponseSchema, { conversation: { uuid: 'c', messages: [message] } })
  const json = toOldConversation(row, answer, answer, {} as never) as { messages: { sources: string }[] }
  return json.messages[0]!.sources
}

it.each([
  [[], ''],
  [[{ title: 'Home', url: 'https://d.example/' }], '[Home](https://d.example/)'],
  [
    [
      { title: 'list[int]', url: 'https://d.example/wiki/C_(language)#a' },
      { title: ' Two\nlines ', url: 'https://d.example/b' },
      { title: '', url: 'https://d.example/c' },
    ],
    '[list(int)](https://d.example/wiki/C_%28language%29#a)\n[Two lines](https://d.example/b)\n[https://d.example/c](https://d.example/c)',
  ],
])('%j → %j', (sources, expected) => {
  expect(linesOf(sources)).toBe(expected)
})

it('has one line with a title and a URL for each source, whatever its title', () => {
  const title = fc.string({ unit: fc.constantFrom('a', '[', ']', '(', ')', '\n', ' ', '!') })
  fc.assert(
    fc.property(fc.array(title, { minLength: 1 }), (titles) => {
      const url = 'https://d.example/(a)'
      const lines = linesOf(titles.map((title) => ({ title, url }))).split('\n')
      const read = lines.flatMap((line) => [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)])
      expect(read.map((match) => match[2])).toEqual(titles.map(() => 'https://d.example/%28a%29'))
    }),
  )
})
