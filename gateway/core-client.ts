// Calls of the core over a Connect transport, in memory or over HTTP, on behalf of the gateway's caller
// (decisions.md section 1: who calls is told in signed metadata; the caller's key is passed on as it came).
import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  Message,
  MessageInitShape,
} from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import type { CallerReader } from './caller.ts'
import type { HttpRequest } from './http.ts'

/** What the gateway says of its caller. */
export interface Origin {
  surface: 'v1' | 'v2' | 'socket' | 'mcp'
  address: string
  origin: string | null
  connection: string | null
}

export interface CoreClientOptions {
  transport: Transport
  /** Makes the value of the header `lectern-caller`. */
  sign(origin: Origin): string
  caller: CallerReader
}

export interface CoreClient {
  /** Calls an RPC that is not streamed by its caller; of a stream of answers the last one counts. Throws ConnectError. */
  call(rpc: DescMethod, input: Message, request: HttpRequest, surface: Origin['surface']): Promise<Message>
}

/** How long the core may take, in milliseconds. */
const patienceMs = 60_000

export function createCoreClient({ transport, sign, caller }: CoreClientOptions): CoreClient {
  function headerOf(request: HttpRequest, surface: Origin['surface']): Record<string, string> {
    const { authorization, origin, 'x-lectern-team': team } = request.headers
    return {
      'lectern-caller': sign({
        surface,
        address: caller.address(request),
        origin: origin || null,
        connection: null,
      }),
      ...(authorization && { authorization }),
      ...(team && { 'x-lectern-team': team }),
    }
  }

  return {
    async call(rpc, input, request, surface) {
      const header = headerOf(request, surface)
      const message = input as MessageInitShape<DescMessage>
      if (rpc.methodKind === 'unary') {
        const method = rpc as DescMethodUnary
        return (await transport.unary(method, request.signal, patienceMs, header, message)).message
      }
      const method = rpc as DescMethodStreaming
      const answers = await transport.stream(method, request.signal, patienceMs, header, once(message))
      return lastOf(answers.message)
    },
  }
}

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item
}

async function lastOf(messages: AsyncIterable<Message>): Promise<Message> {
  let last: Message | undefined
  for await (const message of messages) last = message
  if (!last) throw new Error('the core streamed nothing')
  return last
}
