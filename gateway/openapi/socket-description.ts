// The AsyncAPI 3 description of the chat's socket. What its frames carry is the contract's, so rules and comments are
// taken from there; frames.ts and client-message.ts write and read what is described here.
import type { DescMessage } from '@bufbuild/protobuf'
import { SendMessageRequestSchema } from '../../gen/lectern/v1/chat_pb.js'
import {
  AiMessageSchema,
  TurnFinalSchema,
  TurnStatusDetailSchema,
  TurnStatusSchema,
} from '../../gen/lectern/v1/turn_pb.js'
import type { CallerReader } from '../caller.ts'
import type { Route } from '../router.ts'
import { closeCodes } from '../socket.ts'
import { requestIdForm } from '../ws-chat/client-message.ts'
import { type Comments, readContractComments } from './contract-comments.ts'
import type { Schema } from './rules.ts'
import { createSchemas, type Schemas } from './schemas.ts'

const text: Schema = { type: 'string' }
const requestId: Schema = {
  type: 'string',
  pattern: requestIdForm.source,
  description:
    'Identifies the turn: made by the client, echoed on every frame where progress was negotiated.',
}
const restoreToken: Schema = {
  type: 'string',
  description: 'Authority to go on with the chat on another connection.',
}

/** The route that serves the description. */
export function createSocketDescription(caller: CallerReader): Route {
  const description = JSON.stringify(describeSocket(readContractComments())).slice(0, -1)
  return {
    method: 'GET',
    path: '/api/v2/asyncapi.json',
    isLimited: true,
    answer: (request) => {
      const { protocol, host, pathname } = new URL(caller.base(request))
      const server = {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        ...(pathname !== '/' && { pathname }),
      }
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: `${description},"servers":${JSON.stringify({ this: server })}}`,
      }
    },
  }
}

/** The description, without `servers`. */
function describeSocket(comments: Comments): Schema {
  const schemas = createSchemas(comments)
  const messages = toMessages(schemas)
  const names = Object.keys(messages)
  const channels = {
    project: toChannel('/ws/messages/{project}/', { project: 'Slug or UUID of a project.' }, names),
    chat: toChannel('/ws/messages/chat/{chat}/', { chat: 'UUID of a chat, to go on with it.' }, names),
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Lectern: chat socket',
      version: 'v2',
      description: [
        'Each message is answered by partial frames and one final frame, and by status frames where progress was negotiated. ' +
          'The socket opens whatever the address names: what is wrong is said in answer to the first message. ' +
          'A blocked network is refused at the upgrade, with status 429 and `Retry-After`.',
        ...Object.values(closeCodes).map(({ code, reason }) => `Closed with ${code}: ${reason}`),
      ].join('\n\n'),
    },
    channels,
    operations: Object.fromEntries(
      Object.keys(channels).map((name) => [`ask.${name}`, toOperation(name, names)]),
    ),
    components: { messages, schemas: schemas.components },
  }
}

function toChannel(address: string, parameters: Record<string, string>, messages: string[]): Schema {
  const described = Object.entries(parameters).map(([name, description]) => [name, { description }])
  return {
    address,
    parameters: Object.fromEntries(described),
    messages: Object.fromEntries(messages.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { ws: { method: 'GET' } },
  }
}

/** Lectern receives a message, and replies with frames. */
function toOperation(channel: string, messages: string[]): Schema {
  const here = { $ref: `#/channels/${channel}` }
  const of = (name: string) => ({ $ref: `#/channels/${channel}/messages/${name}` })
  return {
    action: 'receive',
    channel: here,
    messages: [of('message')],
    reply: { channel: here, messages: messages.filter((name) => name !== 'message').map(of) },
  }
}

function toMessages(schemas: Schemas): Record<string, Schema> {
  const asked = fieldsOf(SendMessageRequestSchema, schemas, 'creation')
  const answer = fieldsOf(AiMessageSchema, schemas, 'answer')
  const end = fieldsOf(TurnFinalSchema, schemas, 'answer')
  const status = fieldsOf(TurnStatusSchema, schemas, 'answer')
  const detail = fieldsOf(TurnStatusDetailSchema, schemas, 'answer')
  const ids = {
    projectId: {
      type: 'string',
      description: 'Slug of the project; as the address has it where that is all that is known.',
    },
    chatId: end.chat_uuid!,
  }
  const negotiated = {
    requestId,
    isError: notNull(end.is_error!),
    interrupted: notNull(end.interrupted!),
    retryable: notNull(end.retryable!),
  }
  const from = { ...answer.from, const: 'ai' }
  return {
    message: {
      title: 'A reader’s message',
      payload: {
        type: 'object',
        description:
          'Unknown fields are ignored; null counts as left out, and so does an empty text for everything but `message`.',
        required: ['message'],
        properties: {
          message: asked.message,
          chatId: { ...text, description: asked.chat_uuid!.description },
          restoreToken,
          apiKey: {
            ...text,
            description: 'A key with `chats_create`, for private projects; it counts for what follows, too.',
          },
          url: notNull(asked.url!),
          email: notNull(asked.email!),
          metadata: notNull(asked.metadata!),
          version: notNull(asked.version!),
          language: notNull(asked.language!),
          thinkMode: notNull(asked.think_mode!),
          retrievalMode: {
            ...asked.retrieval_mode,
            description: `${asked.retrieval_mode!.description} Others are ignored.`,
          },
          capabilities: {
            type: 'array',
            items: text,
            description: 'With `activity.v1` and a valid requestId the turn has status frames.',
          },
          requestId,
          projectId: { ...text, description: 'Ignored: the address names the project.' },
          from: { ...text, description: 'Ignored.' },
        },
      },
    },
    partial: frame(
      'New text of an answer',
      { ...ids, from, messageId: answer.messageId },
      {
        message: { ...text, description: 'What is added to the draft.' },
        timestamp: answer.timestamp,
        isPartial: { type: 'boolean', const: true },
      },
      { requestId, restoreToken },
    ),
    final: frame(
      'The end of an answer',
      { ...ids, ...answer, from, isPartial: { type: 'boolean', const: false } },
      {},
      {
        ...negotiated,
        restoreToken,
      },
    ),
    refusal: frame(
      'The one frame of a message that is not answered',
      {
        from,
        message: { ...text, description: 'Says why, for a person.' },
        timestamp: answer.timestamp,
        isPartial: { type: 'boolean', const: false },
        sources: { type: 'array', maxItems: 0 },
        incomplete: answer.incomplete,
        stopReason: answer.stopReason,
      },
      {},
      { projectId: ids.projectId, ...negotiated },
    ),
    status: frame(
      'Progress of a turn',
      {
        type: { type: 'string', const: 'status' },
        version: { type: 'integer', const: 1 },
        requestId,
        sequence: { ...status.sequence, minimum: 1 },
        stage: status.stage,
        state: status.state,
      },
      {},
      { detail: { type: 'object', additionalProperties: false, properties: mapped(detail, notNull) } },
    ),
  }
}

/** A frame that always has the first two groups of fields, and the third where they apply. */
function frame(title: string, first: Schema, second: Schema, optional: Schema): Schema {
  const always = { ...first, ...second }
  return {
    title,
    payload: {
      type: 'object',
      additionalProperties: false,
      required: Object.keys(always),
      properties: { ...always, ...optional },
    },
  }
}

function fieldsOf(
  message: DescMessage,
  schemas: Schemas,
  use: 'answer' | 'creation',
): Record<string, Schema> {
  const isCamel = message === AiMessageSchema || message === TurnStatusDetailSchema
  return Object.fromEntries(
    message.fields
      .filter((field) => !field.message || field.message.typeName !== AiMessageSchema.typeName)
      .map((field) => [isCamel ? field.jsonName : field.name, schemas.ofField(field, use)]),
  )
}

/** Frames leave out what does not apply. */
function notNull({ type, ...schema }: Schema): Schema {
  const { enum: values } = schema as { enum?: unknown[] }
  return {
    type: Array.isArray(type) ? type.find((each) => each !== 'null') : type,
    ...schema,
    ...(values && { enum: values.filter((value) => value !== null) }),
  }
}

function mapped(schemas: Record<string, Schema>, change: (schema: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}
