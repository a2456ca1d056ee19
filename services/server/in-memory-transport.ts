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
      return { ...answer, message: untilEnd((answer as StreamResponse).message, () => context.abort()) }
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
  return mapped(values, (value) => create(desc, value))
}

function mapped<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await iterator.next()
          return done ? { done, value } : { done: false, value: change(value) }
        },
        async return(value) {
          await iterator.return?.()
          return { done: true, value }
        },
      }
    },
  }
}

/** The same items; `end` is called when the last is read, or the reader stops, or reading fails. */
async function* untilEnd<Item>(items: AsyncIterable<Item>, end: () => void): AsyncGenerator<Item> {
  try {
    yield* items
  } finally {
    end()
  }
}
