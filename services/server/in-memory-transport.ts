// A transport to the core in the same process, for the gateway. Same routes and guard, without a socket. Messages are passed
// without serialization.
import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ContextValues,
  createHandlerContext,
  type Interceptor,
  type StreamResponse,
  type Transport,
} from '@connectrpc/connect'
import pTimeout from 'p-timeout'
import { type Handler, listHandlers } from '../routes.ts'
import { mapStream } from '../stream.ts'
import type { Core } from './core.ts'

const url = 'https://in-memory'

/** Reason of signals that abort after their call. Created once, because an error's stack is expensive. */
const ended = new ConnectError('the call has ended', Code.Canceled)

type MessageInit = MessageInitShape<DescMessage>
type Next = ReturnType<Interceptor>

/** Passes the context values of a call to its handler. RPCs without a handler are unimplemented. */
export function createInMemoryTransport(first: Core) {
  let { interceptors, implementation } = first
  let handlers = listHandlers(implementation)

  async function call(
    method: DescMethod,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    header: ConstructorParameters<typeof Headers>[0] | undefined,
    input: MessageInit | AsyncIterable<MessageInit>,
    contextValues: ContextValues | undefined,
  ) {
    const stream = method.methodKind !== 'unary'
    const handler: Handler = handlers.get(method) ?? (() => refuse(method))
    const service = method.parent
    const common = { service, method, requestMethod: 'POST', url }
    const context = createHandlerContext({
      ...{ ...common, protocolName: 'in-memory' },
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { requestSignal: signal }),
      ...(header && { requestHeader: header }),
      ...(contextValues && { contextValues }),
    })
    const answer = async ({ message }: { message: unknown }) => {
      const given = method.methodKind === 'server_streaming' ? await readFirst(message as never) : message
      const result = handler(given, context)
      const { responseHeader, responseTrailer } = context
      const response = { service, method, stream, header: responseHeader, trailer: responseTrailer }
      if (!stream) return { ...response, message: await result }
      return { ...response, message: method.methodKind === 'client_streaming' ? one(await result) : result }
    }
    const end = () => context.abort(ended)
    try {
      const next = interceptors.reduceRight<Next>((inner, outer) => outer(inner), answer as unknown as Next)
      const working = next({
        ...{ ...common, stream, signal: context.signal },
        ...{ header: context.requestHeader, contextValues: context.values },
        message: stream
          ? mapStream(input as AsyncIterable<MessageInit>, { map: (value) => create(method.input, value) })
          : create(method.input, input as MessageInit),
      } as Parameters<Next>[0])
      if (stream) {
        const response = (await working) as StreamResponse
        return { ...response, message: mapStream(response.message, { onEnd: end }) }
      }
      // Rejects as soon as the caller aborts or times out, even if the handler continues.
      const response = await pTimeout(working, {
        milliseconds: Number.POSITIVE_INFINITY,
        signal: context.signal,
      })
      end()
      return response
    } catch (error) {
      const { aborted, reason } = context.signal
      end()
      throw aborted ? ConnectError.from(reason, Code.Canceled) : error
    }
  }

  return {
    /** Directs new calls to another core. Calls in progress continue on the previous one. */
    serve(core: Core) {
      interceptors = core.interceptors
      handlers = listHandlers(core.implementation)
    },
    unary: call as Transport['unary'],
    stream: call as Transport['stream'],
  }
}

function refuse({ parent, name }: DescMethod): never {
  throw new ConnectError(`${parent.typeName}.${name} is not implemented`, Code.Unimplemented)
}

async function* one<Item>(item: Item): AsyncGenerator<Item> {
  yield item
}

async function readFirst(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message
  throw new Error('the request has no message')
}
