// A provider of language models and embeddings over real sockets that plays scripts: OpenAI's chat completions and
// embeddings, and Anthropic's messages, distinguished by the path.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createAnthropicDialect, createOpenaiDialect } from './dialect.ts'
import { createProviderCall, type ProviderCall } from './provider-call.ts'
import { answers, type Script } from './scripts.ts'
import { embeds } from './word-vectors.ts'

export interface ScriptedProvider {
  /** Base address: a value for LECTERN_LLM_URL and LECTERN_EMBEDDINGS_URL. */
  url: string
  chat: ScriptLine
  embeddings: ScriptLine
  close(): Promise<void>
}

/** The requests of one kind: each is answered by the next queued script, or by `fallback` if none is queued. */
export interface ScriptLine {
  /** All requests so far, in order of arrival. */
  calls: ProviderCall[]
  fallback: Script
  /** Queues scripts, one per request. */
  play(...scripts: Script[]): void
  /** Queues a request that the test answers itself: settles when the request arrives. */
  hold(): Promise<ProviderCall>
}

/** `port` 0 selects a free one. */
export async function openScriptedProvider(port = 0): Promise<ScriptedProvider> {
  const chat = createLine(answers('It is in the documentation [1].'))
  const embeddings = createLine(embeds)

  const server = createServer(async (request, response) => {
    // The list of models, with which Lectern checks whether the provider is reachable.
    if (request.method === 'GET') return response.end('{"data": []}')
    const line = request.url?.endsWith('/embeddings') ? embeddings : chat
    try {
      await line.answer(await toCall(request, response))
    } catch (error) {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    }
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    chat,
    embeddings,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function toCall(request: IncomingMessage, response: ServerResponse): Promise<ProviderCall> {
  const body = (await json(request)) as { model: string }
  const create = request.url?.endsWith('/messages') ? createAnthropicDialect : createOpenaiDialect
  return createProviderCall(request, response, body, create(body.model))
}

function createLine(fallback: Script): ScriptLine & { answer: Script } {
  const waiting: Script[] = []
  const line: ScriptLine & { answer: Script } = {
    calls: [],
    fallback,
    play(...scripts) {
      waiting.push(...scripts)
    },
    hold() {
      return new Promise((came) => {
        waiting.push(came)
      })
    },
    async answer(call) {
      line.calls.push(call)
      const script = waiting.shift() ?? line.fallback
      await script(call)
    },
  }
  return line
}
