// The connection of the command line to a running Lectern: gRPC, with a key of the configuration or the one in the data
// folder.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create, type DescMessage, type DescMethodUnary, type Message } from '@bufbuild/protobuf'
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt'
import { type Client, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { type ReadOptions, readMessage } from '../gateway/json/read.ts'
import { findBody, writeAnswer } from '../gateway/json/write.ts'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import type { Config } from '../services/config.ts'

const services = {
  sources: SourceService,
  syncs: SyncService,
  search: SearchService,
  chats: ChatService,
}

/** A response with the field names of the REST API. */
// biome-ignore lint/suspicious/noExplicitAny: its fields are those of the contract
export type JsonObject = Record<string, any>

export type CliClient = { [Name in keyof typeof services]: Client<(typeof services)[Name]> } & {
  /** Calls an RPC. `input` and the response have the form of the REST API. Undefined fields are omitted. */
  call(rpc: DescMethodUnary, input: object): Promise<JsonObject>
  /** Calls an update RPC for the object that `about` identifies. Changes only the given fields. */
  change(rpc: DescMethodUnary, about: object, fields: object): Promise<JsonObject>
}

export function createCliClient(transport: Transport): CliClient {
  const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)])
  const read = (kind: DescMessage, input: object, options: ReadOptions = {}) =>
    readMessage(kind, JSON.parse(JSON.stringify(input)), options)

  async function send(rpc: DescMethodUnary, request: Message): Promise<JsonObject> {
    const { message } = await transport.unary(rpc, undefined, undefined, undefined, request)
    return writeAnswer(rpc, message) as JsonObject
  }

  return {
    ...Object.fromEntries(clients),
    call: (rpc, input) => send(rpc, read(rpc.input, input).message),
    async change(rpc, about, fields) {
      const { kind, field } = findBody(rpc)
      const { message, paths } = read(kind, fields, { update: true })
      const change = { [field!.localName]: message, updateMask: create(FieldMaskSchema, { paths }) }
      return send(rpc, Object.assign(read(rpc.input, about).message, change))
    },
  }
}

export async function createTransport(config: Config): Promise<Transport> {
  const key = config.apiKey ?? config.adminKey ?? (await readAdminKey(config.data))
  const withKey: Interceptor = (next) => (request) => {
    if (key) request.header.set('authorization', `Api-Key ${key}`)
    return next(request)
  }
  const { host, port } = config.grpc
  const address = host.includes(':') ? `[${host}]` : host
  return createGrpcTransport({ baseUrl: `http://${address}:${port}`, interceptors: [withKey] })
}

/** The admin key in this machine's data folder, or null if it cannot be read. */
async function readAdminKey(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'admin-key'), 'utf8').catch(() => '')
  return text.trim() || null
}
