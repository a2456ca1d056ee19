// The core for callers in the same process: the gateway. Same routes and interceptors, no socket. What a handler streams
// is handed over as it is: a token of an answer is not written and read again on its way.
import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf'
import {
  createHandlerContext,
  createRouterTransport,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
} from '@connectrpc/connect'
import { passing } from '../interceptors/passing.ts'
import { streamingHandlers } from '../routes.ts'
import { type Core, greatestMessage } from './core.ts'

/** Within the process a REST body of 1 MiB may be a larger message (an API description given whole). */
const greatestInnerMessage = 8 * greatestMessage

const url = 'https://in-memory'

type Next = ReturnType<Interceptor>

export function createInMemoryTransport(core: Core): Transport {
  const router = createRouterTransport(core.routes, {
    router: { interceptors: core.interceptors, readMaxBytes: greatestInnerMessage },
  })
  const handlers = streamingHandlers(core.implementation)

  async function stream(
    ...[method, signal, timeoutMs, header, input, values]: Parameters<Transport['stream']>
  ) {
    const handler = handlers.get(method)
    if (!handler) return router.stream(method, signal, timeoutMs, header, input, values)
    const context = createHandlerContext({
      service: method.parent,
      method,
      protocolName: 'in-memory',
      requestMethod: 'POST',
      url,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { requestSignal: signal }),
      ...(header && { requestHeader: header }),
      ...(values && { contextValues: values }),
    })
    const common = { stream: true as const, service: method.parent, method }
    const serve = async (request: StreamRequest): Promise<StreamResponse> => ({
      ...common,
      header: context.responseHeader,
      trailer: context.responseTrailer,
      message: toMessages(method.output, handler(await firstOf(request.message), context)),
    })
    const call = core.interceptors.reduceRight<Next>((next, before) => before(next), serve as Next)
    try {
      const answer = await call({
        ...common,
        requestMethod: 'POST',
        url,
        signal: context.signal,
        header: context.requestHeader,
        contextValues: context.values,
        message: toMessages(method.input, input),
      })
      const { message } = answer as StreamResponse
      return { ...answer, message: passing(message, { change: (each) => each, end: () => context.abort() }) }
    } catch (error) {
      context.abort()
      throw error
    }
  }

  return { unary: router.unary, stream: stream as Transport['stream'] }
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message
  throw new Error('the request holds no message')
}

/** What handlers and callers give may be a message's values alone. */
function toMessages(
  desc: DescMessage,
  values: AsyncIterable<MessageInitShape<DescMessage>>,
): AsyncIterable<Message> {
  return passing(values, { change: (value) => create(desc, value) })
}
