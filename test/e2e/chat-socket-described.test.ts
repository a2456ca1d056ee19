// The description of the chat's socket is valid AsyncAPI 3, and every frame that is sent is one of those that it describes.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StopReason, TurnStage, TurnState } from '../../gen/lectern/v1/turn_pb.js'
import { type ChatClient, openChat, withProgress } from './gateway/chat-client.ts'
import { type ChatLab, final, openChatLab, status, token } from './gateway/chat-lab.ts'

let lab: ChatLab
// biome-ignore lint/suspicious/noExplicitAny: a document looked into at will
let description: any
beforeAll(async () => {
  lab = await openChatLab()
  description = await (await lab.ask('GET', '/api/v2/asyncapi.json')).json()
})
afterAll(() => lab.close())

const open = (): Promise<ChatClient> => openChat(lab.socketUrl('/ws/messages/open/'))

/** Names of the frames that the value is one of. */
function kindsOf(value: unknown): string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(description, 'description')
  const sent = Object.keys(description.components.messages).filter((name) => name !== 'message')
  return sent.filter((name) =>
    ajv.validate({ $ref: `description#/components/messages/${name}/payload` }, value),
  )
}

it('is valid AsyncAPI 3', () => {
  const path = fileURLToPath(import.meta.resolve('@asyncapi/specs/schemas/3.0.0.json'))
  const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
  const isValid = ajv.validate(JSON.parse(readFileSync(path, 'utf8')), description)
  expect(isValid, JSON.stringify(ajv.errors?.slice(0, 5))).toBe(true)
  expect(description.servers.this).toEqual({ host: new URL(lab.url).host, protocol: 'ws' })
})

it('refers to nothing that is missing', () => {
  const at = (pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce((value, name) => value?.[name], description)
  const pointers = [...JSON.stringify(description).matchAll(/"\$ref":"(#[^"]+)"/g)].map(
    ([, pointer]) => pointer!,
  )
  expect(pointers.length).toBeGreaterThan(10)
  for (const pointer of pointers) expect(at(pointer), pointer).toBeDefined()
})

it.each([
  ['a message', { message: 'one two three' }, ['partial', 'partial', 'partial', 'final']],
  [
    'a message with progress',
    withProgress('one two', 'r'),
    ['status', 'partial', 'partial', 'status', 'final'],
  ],
  ['one that breaks off', withProgress('breaks', 'r'), ['partial', 'status', 'final']],
  ['one that fails', withProgress('fails', 'r'), ['status', 'final']],
  ['one that the core cannot answer', withProgress('boom', 'r'), ['status', 'refusal']],
  ['one of a wrong form', withProgress('', 'r'), ['refusal']],
  ['one that negotiated nothing and is of a wrong form', { message: 7 }, ['refusal']],
])('describes each frame that answers %s', async (_, message, kinds) => {
  lab.scripts.breaks = async function* () {
    yield token('half an ', true)
    throw new Error('gone')
  }
  lab.scripts.fails = async function* () {
    yield status(1, TurnStage.FAILED, TurnState.FAILED)
    yield final('It failed.', { stopReason: StopReason.ERROR })
  }
  // biome-ignore lint/correctness/useYield: it fails before
  lab.scripts.boom = async function* () {
    throw new Error('gone')
  }
  const chat = await open()
  chat.send(message)
  const frames = await chat.turn()
  expect(frames.map((frame) => kindsOf(frame).join())).toEqual(kinds)
})

it('describes what is sent: lengths, forms, and what is required', () => {
  const { properties, required } = description.components.messages.message.payload
  expect(required).toEqual(['message'])
  expect(properties.message).toMatchObject({ type: 'string', minLength: 1, maxLength: 1000 })
  expect(properties.requestId.pattern).toBe('^[A-Za-z0-9._:-]{1,80}$')
  expect(properties.retrievalMode.enum).toEqual(['auto', 'instant'])
  expect(properties.version.maxLength).toBe(100)
  expect(properties.language.maxLength).toBe(35)
})
