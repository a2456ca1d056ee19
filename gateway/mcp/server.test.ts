import { create, type DescMethod } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { SendMessageResponseSchema } from '../../gen/lectern/v1/chat_pb.js'
import { McpServerSchema } from '../../gen/lectern/v1/mcp_pb.js'
import { StopReason } from '../../gen/lectern/v1/turn_pb.js'
import type { CoreClient } from '../core-client.ts'
import { serveMcp } from './server.ts'
import type { ToolContext } from './tools.ts'

/** Returns the result of a call of `ask` if the core ends the turn this way. */
async function ask(stopReason: StopReason) {
  const counted: [string, boolean][] = []
  const final = { chatUuid: 'c', restoreToken: 't', aiMessage: { message: 'A sentence.', stopReason } }
  const turn = create(SendMessageResponseSchema, { event: { event: { case: 'final', value: final } } })
  const core = { call: async (_: DescMethod) => turn } as Pick<CoreClient, 'call'>
  const call = { signal: new AbortController().signal } as ToolContext['call']
  const asked = new Request('http://127.0.0.1/mcp/harbor', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'ask', arguments: { question: 'Why?' } },
    }),
  })
  const response = await serveMcp(asked, {
    settings: create(McpServerSchema, { enabled: true, name: 'Docs', projectName: 'Docs' }),
    context: { core, call, slug: 'harbor', pageUrl: null, metadata: null },
    toolCalled: (...called) => counted.push(called),
    report: (error) => expect.fail(String(error)),
  })
  const { result } = JSON.parse(/\{.*\}/.exec(await response.text())![0])
  return { isError: result.isError === true, text: result.content[0].text, counted }
}

test('reports an answer that the language model failed to write as an error of the tool', async () => {
  expect(await ask(StopReason.ERROR)).toEqual({
    ...{ isError: true, text: 'A sentence.', counted: [['ask', true]] },
  })
  expect(await ask(StopReason.STOP)).toEqual({
    ...{ isError: false, text: 'A sentence.', counted: [['ask', false]] },
  })
})
