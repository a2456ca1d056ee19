// Calls the core over a Connect transport, in memory or over HTTP, on behalf of the gateway's caller. `attestOrigin`
// identifies the caller. The caller's key is forwarded unchanged.
import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { AdmissionService } from '../gen/lectern/v1/admission_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'

export interface Origin {
  surface: 'v1' | 'v2' | 'socket' | 'mcp'
  address: string
  /** The client that the caller says it calls for. Only used with a valid key. */
  clientAddress?: string | null
  origin: string | null
  /** Identifies the socket that the message came on. Null on other surfaces. */
  connection: string | null
}

/** The caller on whose behalf the core is called. */
export interface CallContext {
  origin: Origin
  /** `Api-Key …`, or ''. */
  authorization: string
  /** UUID of the team that the admin key acts for, or ''. */
  team: string
  /** Aborted when the caller is gone. */
  signal: AbortSignal
}

/**
 * Proves the caller's identity to the core: by the signed header `lectern-caller`, or
 * within one process by context values of the call.
 */
export type AttestOrigin = (origin: Origin) => string | ContextValues

interface CoreClientOptions {
  transport: Transport
  attestOrigin: AttestOrigin
  /** Called for each searched question: whether its meaning was used, or why not. */
  whenSearched?(meaning: string): void
}

export type CoreClient = ReturnType<typeof createCoreClient>

/** Milliseconds for an RPC that does not stream. */
const unaryTimeoutMs = 60_000
/** A reader types letter by letter: after three seconds, an error is better than a late response. */
const searchTimeoutMs = 2_800

/** All calls reject with ConnectError. */
export function createCoreClient({ transport, attestOrigin, whenSearched }: CoreClientOptions) {
  function readTrailer(trailer: Headers) {
    for (const meaning of trailer.get('lectern-meaning')?.split(/,\s*/) ?? []) whenSearched?.(meaning)
  }

  function describe({ origin, authorization, team }: CallContext) {
    const attested = attestOrigin(origin)
    const isSigned = typeof attested === 'string'
    const header: Record<string, string> = {
      ...(isSigned && { 'lectern-caller': attested }),
      ...(authorization && { authorization }),
      ...(team && { 'x-lectern-team': team }),
    }
    return { header, values: isSigned ? undefined : attested }
  }

  /** Streams messages as fast as the core reads them, and the responses as fast as they are read. */
  async function exchange<Rpc extends DescMethod>(
    rpc: Rpc,
    messages: AsyncIterable<MessageInitShape<Rpc['input']>>,
    context: CallContext,
  ): Promise<AsyncIterable<MessageShape<Rpc['output']>>> {
    const { header, values } = describe(context)
    const method = rpc as DescMethod as DescMethodStreaming<Rpc['input'], Rpc['output']>
    const answer = await transport.stream(method, context.signal, undefined, header, messages, values)
    return atEnd(answer.message, () => readTrailer(answer.trailer))
  }

  /**
   * Calls an RPC with one request. Returns the last response if the RPC streams them. The timeout is a minute, three
   * seconds for search, and none for streams.
   */
  async function call<Rpc extends DescMethod>(
    rpc: Rpc,
    input: MessageInitShape<Rpc['input']>,
    context: CallContext,
  ): Promise<MessageShape<Rpc['output']>> {
    if (rpc.methodKind !== 'unary') return readLast(await exchange(rpc, once(input), context))
    const timeoutMs = rpc.parent === SearchService ? searchTimeoutMs : unaryTimeoutMs
    const { header, values } = describe(context)
    const method = rpc as DescMethod as DescMethodUnary<Rpc['input'], Rpc['output']>
    const answer = await transport.unary(method, context.signal, timeoutMs, header, input, values)
    readTrailer(answer.trailer)
    return answer.message
  }

  return {
    call,
    /** Streams the responses until the caller is gone. */
    stream: <Rpc extends DescMethod>(rpc: Rpc, input: MessageInitShape<Rpc['input']>, context: CallContext) =>
      exchange(rpc, once(input), context),
    /** Streams messages, and returns the one response. */
    send: async (
      rpc: DescMethod,
      messages: AsyncIterable<MessageInitShape<DescMessage>>,
      context: CallContext,
    ) => readLast(await exchange(rpc, messages, context)),
    /** Checks whether the caller may make the call. Reads only the project and the restore token from `input`. */
    async admit({ parent, name }: DescMethod, input: Message, context: CallContext): Promise<void> {
      const { slug = '', restoreToken = '' } = input as { slug?: string; restoreToken?: string }
      const rpc = `${parent.typeName}/${name}`
      const request = { rpc, projectSlug: slug, hasRestoreToken: restoreToken !== '' }
      await call(AdmissionService.method.admit, request, context)
    },
  }
}

export async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item
}

/** Passes items through, and calls `end` after the last. It handles every token, so it avoids a generator, which is slower. */
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

async function readLast<Item>(messages: AsyncIterable<Item>): Promise<Item> {
  let last: Item | undefined
  for await (const message of messages) last = message
  if (!last) throw new Error('the core streamed nothing')
  return last
}
