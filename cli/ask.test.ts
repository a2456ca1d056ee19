// `lectern ask` as users run it, with a core whose turns the test writes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { writeMessage } from '../gateway/json/write.ts'
import { ChatService, type SendMessageRequest } from '../gen/lectern/v1/chat_pb.js'
import { StopReason, TurnEventSchema, TurnStage, TurnState } from '../gen/lectern/v1/turn_pb.js'
import { runHere } from '../test/e2e/cli.ts'
import { createAnswerPrinter } from './ask.ts'
import type { JsonObject } from './client.ts'

type Event = NonNullable<MessageInitShape<typeof TurnEventSchema>['event']>

const bin = fileURLToPath(new URL('../bin/lectern', import.meta.url))
const chatUuid = '11111111-1111-4111-8111-111111111111'
const sessions: ServerHttp2Session[] = []
let asked: SendMessageRequest | null
let aborted: Promise<void>
/** Events of a turn. It may throw, or never end. */
let script: (signal: AbortSignal) => AsyncIterable<Event>

const routes = (router: ConnectRouter) =>
  router.service(ChatService, {
    async *sendMessage(request, { signal }) {
      asked = request
      aborted = once(signal, 'abort').then(() => {})
      for await (const event of script(signal)) yield { event: { event } }
    },
  })
const server = createServer(connectNodeAdapter({ routes }))
server.on('session', (session) => sessions.push(session))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const port = (server.address() as { port: number }).port
afterAll(async () => {
  for (const session of sessions) session.destroy()
  server.close()
  await once(server, 'close')
})
beforeEach(() => {
  asked = null
  script = async function* () {
    yield status(TurnStage.SEARCHING_DOCS)
    yield token('Use `run` [2].')
    yield final('Use `run` [1].', { sources: [{ title: 'Running', url: 'https://docs.example.org/run' }] })
  }
})

const status = (stage: TurnStage): Event => ({
  case: 'status',
  value: { sequence: 1, stage, state: TurnState.STARTED },
})
const token = (text: string): Event => ({ case: 'token', value: { chatUuid, text } })
const final = (message: string, answer: object = {}, rest: object = {}): Event => ({
  case: 'final',
  value: {
    ...{ chatUuid, slug: 'docs', restoreToken: 'secret-token', ...rest },
    aiMessage: { from: 'ai', message, stopReason: StopReason.STOP, ...answer },
  },
})

const settings = () => ({ LECTERN_GRPC: `127.0.0.1:${port}`, LECTERN_API_KEY: 'lec_test' })
const lectern = (...args: string[]) => runHere(args, settings())

test('prints only the checked answer and its sources if the output is no terminal', async () => {
  const { code, out, err } = await lectern('ask', 'docs', 'how', 'to', 'run')
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe('Use `run` [1].\n\nSources\n1. Running\n   https://docs.example.org/run\n')
  expect(asked).toMatchObject({ slug: 'docs', message: 'how to run', chatUuid: '', progress: false })
  expect(asked).toMatchObject({ metadata: 'cli' })
  expect(asked).not.toHaveProperty('thinkMode', true)
})

test('continues a chat, and reasons on request', async () => {
  await lectern('ask', 'docs', 'and then?', '--chat', chatUuid, '--token', 'secret-token', '--think')
  expect(asked).toMatchObject({ chatUuid, restoreToken: 'secret-token', thinkMode: true })
  await lectern('ask', 'docs', 'quick', '--instant')
  expect(asked).toMatchObject({ retrievalMode: 2 })
  expect((await lectern('ask', 'docs', 'both', '--instant', '--think')).code).toBe(1)
})

test('--json prints every event as a line, with the names of the interface', async () => {
  const { out } = await lectern('ask', 'docs', 'how to run', '--json')
  const [first, second, third, ...rest] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rest).toEqual([])
  expect(first.status).toMatchObject({ sequence: 1, stage: 'searching_docs', state: 'started' })
  expect(second.token).toMatchObject({ chat_uuid: chatUuid, text: 'Use `run` [2].' })
  expect(third.final).toMatchObject({
    restore_token: 'secret-token',
    ai_message: { stopReason: 'stop', isPartial: false, sources: [{ title: 'Running' }] },
  })
})

test('control characters never reach the terminal', async () => {
  const evil = 'a\u001b[2Jb\u009b31mc\u0007d\u202ee\rf\u007f'
  script = async function* () {
    yield token(evil)
    yield final(evil, { sources: [{ title: evil, url: `https://docs.example.org/${evil}` }] })
  }
  for (const args of [[], ['--json']]) {
    const { out, err } = await lectern('ask', 'docs', 'x', ...args)
    expect(out).toContain('a')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the output must not have them
    expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  }
  script = () => {
    throw new ConnectError(evil, Code.NotFound)
  }
  const { code, err } = await lectern('ask', 'docs', 'x')
  expect([code, err]).toEqual([1, expect.stringMatching(/^lectern: a\ufffd\[2Jb/)])
})

test.each([
  ['a failure', '', 'The model is away.', { stopReason: StopReason.ERROR }, { isError: true }],
  [
    'an interruption',
    'Half an\n',
    'the answer was interrupted',
    { stopReason: StopReason.INTERRUPTED },
    { interrupted: true },
  ],
])('%s exits with code 1 and a line on standard error', async (_, printed, line, answer, rest) => {
  script = async function* () {
    yield final(printed.trim() || line, answer, rest)
  }
  const { code, out, err } = await lectern('ask', 'docs', 'x')
  expect([code, out, err]).toEqual([1, printed, `lectern: ${line}\n`])
})

test('Ctrl-C stops the turn on the server, too', async () => {
  script = async function* (signal) {
    yield token('Slowly')
    await once(signal, 'abort')
  }
  const env = { PATH: process.env.PATH, ...settings() }
  const child = spawn(bin, ['ask', 'docs', 'x', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const [first] = await once(child.stdout, 'data')
  expect(String(first)).toContain('Slowly')
  child.kill('SIGINT')
  await aborted
  expect([await text(child.stderr), await ended]).toEqual(['Stopped.\n', [130, null]])
})

describe('a turn on a terminal', () => {
  function print(isTTY: boolean, texts: string[], final: string, rest: object = {}) {
    const written = { out: '', err: '' }
    const output = (name: 'out' | 'err') => ({
      isTTY,
      write(text: string) {
        written[name] += text
      },
    })
    const printer = createAnswerPrinter(output('out'), output('err'))
    const aiMessage = { message: final, stopReason: StopReason.STOP }
    const events = [
      ...texts.map((text) => ({ case: 'token' as const, value: { text } })),
      { case: 'final' as const, value: { aiMessage, ...rest } },
    ]
    for (const event of events)
      printer.event(writeMessage(TurnEventSchema, create(TurnEventSchema, { event })) as JsonObject)
    return written
  }

  test('writes an answer once, and replaces the notice', () => {
    const { out, err } = print(true, ['One ', 'two'], 'One two.')
    expect(out).toBe('One two.\n')
    expect(err).toBe('Reading the documentation…\r\u001b[2K')
  })

  test('writes the final text if the output is no terminal', () => {
    expect(print(false, ['One '], 'One [1]')).toEqual({ out: 'One [1]\n', err: '' })
  })

  test('keeps an interrupted answer', () => {
    const { out, err } = print(true, ['Half an'], 'The model is away.', { isError: true })
    expect(out).toBe('Half an\n')
    expect(err).toContain('lectern: The model is away.\n')
  })
})
