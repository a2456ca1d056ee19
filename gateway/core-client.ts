// Calls of the core over a Connect transport, in memory or over HTTP, on behalf of the gateway's caller: who calls
// is told by `vouch`; the caller's key is passed on as it came.
import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodStreaming,
  DescMethodUnary,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { AdmissionService } from '../gen/lectern/v1/admission_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import type { CallerReader } from './caller.ts'
import type { HttpRequest } from './http.ts'

/** What the gateway says of its caller. */
export interface Origin {
  surface: 'v1' | 'v2' | 'socket' | 'mcp'
  address: string
  /** Whom the caller says that it asks for; counts where its key is good. */
  clientAddress?: string | null
  origin: string | null
  /** Identifies the socket that the message came on; null elsewhere. */
  connection: string | null
}

/** On whose behalf the core is called. */
export interface CallContext {
  origin: Origin
  /** `Api-Key …`; '' without one. */
  authorization: string
  /** UUID of the team that the admin key is to work in; '' without one. */
  team: string
  /** Aborted when the caller is gone. */
  signal: AbortSignal
}

/**
 * Has the core believe what the gateway says of its caller: by the value of the header `lectern-caller`, which is signed, or
 * where the core is in this process by values of the call's context.
 */
export type Vouch = (origin: Origin) => string | ContextValues

interface CoreClientOptions {
  transport: Transport
  vouch: Vouch
  /** Told for each question that was searched for whether that went by its meaning too, or why not. */
  whenSearched?(meaning: string): void
}

export interface CoreClient {
  /**
   * Asks whether the caller may make the call. Of `input` only the project and the restore token count. Throws
   * ConnectError where it may not.
   */
  admit(rpc: DescMethod, input: Message, context: CallContext): Promise<void>
  /**
   * Calls an RPC that is not streamed by its caller; of a stream of answers the last one counts. Throws ConnectError,
   * for an RPC that streams nothing also after a minute, for those of search after three seconds.
   */
  call(rpc: DescMethod, input: Message, context: CallContext): Promise<Message>
  /** Sends messages as fast as the core takes them; answers its one message. Throws ConnectError, and what `messages` throw. */
  send(
    rpc: DescMethod,
    messages: AsyncIterable<MessageInitShape<DescMessage>>,
    context: CallContext,
  ): Promise<Message>
  /**
   * Streams the answers; as slowly as they are asked for, and as long as the caller stays. Throws ConnectError, also
   * while they are read.
   */
  stream<Input extends DescMessage, Output extends DescMessage>(
    rpc: DescMethodServerStreaming<Input, Output>,
    input: MessageInitShape<Input>,
    context: CallContext,
  ): Promise<AsyncIterable<MessageShape<Output>>>
}

/** How long the core may take where it streams nothing, in milliseconds. */
const unaryTimeoutMs = 60_000
/** Where a reader waits for each letter typed, a late answer is of no use: better none within three seconds. */
const searchTimeoutMs = 2_800

export function createCoreClient({ transport, vouch, whenSearched }: CoreClientOptions): CoreClient {
  function readTrailer(trailer: Headers) {
    for (const meaning of trailer.get('lectern-meaning')?.split(/,\s*/) ?? []) whenSearched?.(meaning)
  }

  function describe({ origin, authorization, team }: CallContext) {
    const vouched = vouch(origin)
    const isSigned = typeof vouched === 'string'
    const header: Record<string, string> = {
      ...(isSigned && { 'lectern-caller': vouched }),
      ...(authorization && { authorization }),
      ...(team && { 'x-lectern-team': team }),
    }
    return { header, values: isSigned ? undefined : vouched }
  }

  async function stream<Input extends DescMessage, Output extends DescMessage>(
    rpc: DescMethodStreaming<Input, Output>,
    input: AsyncIterable<MessageInitShape<Input>>,
    context: CallContext,
  ): Promise<AsyncIterable<MessageShape<Output>>> {
    const { header, values } = describe(context)
    const { message, trailer } = await transport.stream(rpc, context.signal, undefined, header, input, values)
    return atEnd(message, () => readTrailer(trailer))
  }

  async function unary(
    rpc: DescMethodUnary,
    input: MessageInitShape<DescMessage>,
    context: CallContext,
  ): Promise<Message> {
    const timeoutMs = rpc.parent === SearchService ? searchTimeoutMs : unaryTimeoutMs
    const { header, values } = describe(context)
    const { message, trailer } = await transport.unary(rpc, context.signal, timeoutMs, header, input, values)
    readTrailer(trailer)
    return message
  }

  return {
    stream: (rpc, input, context) => stream(rpc, once(input), context),
    send: async (rpc, messages, context) =>
      lastOf(await stream(rpc as DescMethodStreaming, messages, context)),
    async admit({ parent, name }, input, context) {
      const { slug = '', restoreToken = '' } = input as { slug?: string; restoreToken?: string }
      const request = {
        rpc: `${parent.typeName}/${name}`,
        projectSlug: slug,
        hasRestoreToken: restoreToken !== '',
      }
      await unary(AdmissionService.method.admit, request, context)
    },
    async call(rpc, input, context) {
      const message = input as MessageInitShape<DescMessage>
      if (rpc.methodKind === 'unary') {
        const method = rpc as DescMethodUnary
        return unary(method, message, context)
      }
      return lastOf(await stream(rpc as DescMethodStreaming, once(message), context))
    },
  }
}

/** Creates the reader of whom a REST request is made for. */
export function createContextReader(
  caller: CallerReader,
  surface: Origin['surface'],
): (request: HttpRequest) => CallContext {
  return (request) => {
    const { authorization, 'x-lectern-team': team } = request.headers
    return {
      origin: {
        surface,
        address: caller.address(request),
        clientAddress: caller.clientAddress(request),
        origin: caller.origin(request),
        connection: null,
      },
      authorization,
      team,
      signal: request.signal,
    }
  }
}

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item
}

/** The same items; `end` is called when the last was read. Tokens of answers pass here: no generator, which would cost more. */
function atEnd<Item>(items: AsyncIterable<Item>, end: () => void): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      return {
        async next() {
          const result = await iterator.next()
          if (result.done) end()
          return result
        },
        ...(iterator.return && { return: () => iterator.return!() }),
      }
    },
  }
}

async function lastOf(messages: AsyncIterable<Message>): Promise<Message> {
  let last: Message | undefined
  for await (const message of messages) last = message
  if (!last) throw new Error('the core streamed nothing')
  return last
}
