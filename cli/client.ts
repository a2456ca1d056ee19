// The connection of the command line to a running Lectern: gRPC, with a key of the configuration or the one in the data
// folder. Requests and responses have the form of the REST API.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt'
import type { Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { once } from '../gateway/core-client.ts'
import { type ReadOptions, readMessage } from '../gateway/json/read.ts'
import { findBody, writeAnswer } from '../gateway/json/write.ts'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import type { Config } from '../services/config.ts'

// biome-ignore lint/suspicious/noExplicitAny: its fields are those of the contract
export type JsonObject = Record<string, any>

export interface Connection {
  transport: Transport
  /** `Api-Key …`, or ''. */
  authorization: string
}

export type CliClient = ReturnType<typeof createCliClient>

export function createCliClient({ transport, authorization }: Connection) {
  const header = { ...(authorization && { authorization }) }

  /** Undefined fields are omitted. */
  const read = (kind: DescMessage, input: object, options: ReadOptions = {}) =>
    readMessage(kind, JSON.parse(JSON.stringify(input)), options)

  async function send(rpc: DescMethodUnary, request: Message): Promise<JsonObject> {
    const { message } = await transport.unary(rpc, undefined, undefined, header, request)
    return writeAnswer(rpc, message) as JsonObject
  }

  /** Streams messages, and yields the responses. */
  async function* exchange<Input extends DescMessage>(
    rpc: DescMethodStreaming<Input>,
    messages: AsyncIterable<MessageInitShape<Input>>,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonObject> {
    const { message } = await transport.stream(rpc, signal, undefined, header, messages)
    for await (const each of message) yield writeAnswer(rpc, each) as JsonObject
  }

  return {
    call: (rpc: DescMethodUnary, input: object) => send(rpc, read(rpc.input, input).message),
    /** Calls an update RPC for the object that `about` identifies. Changes only the given fields. */
    async change(rpc: DescMethodUnary, about: object, fields: object): Promise<JsonObject> {
      const { kind, field } = findBody(rpc)
      const { message, paths } = read(kind, fields, { update: true })
      const change = { [field!.localName]: message, updateMask: create(FieldMaskSchema, { paths }) }
      return send(rpc, Object.assign(read(rpc.input, about).message, change))
    },
    /** Calls an RPC that streams responses. */
    stream: (rpc: DescMethodStreaming, input: object, signal?: AbortSignal) =>
      exchange(rpc, once(read(rpc.input, input).message), signal),
    exchange,
  }
}

/** Permissions of the key in the project. Empty without a valid key. */
export async function readPermissions(client: CliClient, slug: string): Promise<string[]> {
  const key = await client.call(KeyService.method.getOwnKey, {}).catch(() => null)
  return key && (key.projects?.includes(slug) ?? true) ? key.permissions : []
}

export async function connect(config: Config): Promise<Connection> {
  const key = config.apiKey ?? config.adminKey ?? (await readAdminKey(config.data))
  const { host, port } = config.grpc
  const address = host.includes(':') ? `[${host}]` : host
  return {
    transport: createGrpcTransport({ baseUrl: `http://${address}:${port}` }),
    authorization: key ? `Api-Key ${key}` : '',
  }
}

/** The admin key in this machine's data folder, or null if it cannot be read. */
async function readAdminKey(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'admin-key'), 'utf8').catch(() => '')
  return text.trim() || null
}
