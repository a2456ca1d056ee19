// The core for callers in the same process: the gateway. Same routes and interceptors, no socket; messages are handed
// over as they are: neither a token of an answer nor a page of results is written and read again on its way.
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  createHandlerContext,
  createRouterTransport,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'
import { type Handler, handlersOf } from '../routes.ts'
import { mapStream } from '../stream/map-stream.ts'
import { type Core, maxMessageBytes } from './core.ts'

const url = 'https://in-memory'

/** Why signals abort after their call: made once, for an error's stack is costly. */
const ended = new ConnectError('the call has ended', Code.Canceled)

type Values = MessageInitShape<DescMessage>
type Next = ReturnType<Interceptor>
type CallOptions = [
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  header: ConstructorParameters<typeof Headers>[0] | undefined,
]

export interface InMemoryTransport extends Transport {
  /** Calls from now on are this core's; those under way stay with the one before. */
  serve(core: Core): void
}

/** RPCs that no handler serves, and those that their caller streams, go through Connect's own transport. */
export function createInMemoryTransport(first: Core): InMemoryTransport {
  let core: Core
  let router: Transport
  let handlers: Map<DescMethod, Handler>

  function serve(next: Core) {
    core = next
    handlers = handlersOf(next.implementation)
    router = createRouterTransport(next.routes, {
      router: { interceptors: next.interceptors, readMaxBytes: maxMessageBytes },
    })
  }
  serve(first)

  /** One call through the interceptors to the handler. `end` is to be called when all is over. */
  function begin<Method extends DescMethod>(method: Method, [signal, timeoutMs, header]: CallOptions) {
    const context = createHandlerContext({
      service: method.parent,
      method,
      protocolName: 'in-memory',
      requestMethod: 'POST',
      url,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { requestSignal: signal }),
      ...(header && { requestHeader: header }),
    })
    const request = {
      service: method.parent,
      method,
      requestMethod: 'POST',
      url,
      signal: context.signal,
      header: context.requestHeader,
      contextValues: context.values,
    }
    const response = {
      service: method.parent,
      method,
      header: context.responseHeader,
      trailer: context.responseTrailer,
    }
    const through = (answer: Next) =>
      core.interceptors.reduceRight<Next>((next, before) => before(next), answer)
    return { context, request, response, through, end: () => context.abort(ended) }
  }

  async function unary(method: DescMethodUnary, handler: Handler, input: Values, options: CallOptions) {
    const { context, request, response, through, end } = begin(method, options)
    const answer = async ({ message }: UnaryRequest): Promise<UnaryResponse> => ({
      ...response,
      stream: false,
      message: create(method.output, (await handler(message, context)) as Values),
    })
    const call = through(answer as Next)
    try {
      const message = create(method.input, input)
      return await orAborted(call({ ...request, stream: false, message } as UnaryRequest), context.signal)
    } finally {
      end()
    }
  }

  async function stream(
    method: DescMethodStreaming,
    handler: Handler,
    input: AsyncIterable<Values>,
    options: CallOptions,
  ) {
    const { context, request, response, through, end } = begin(method, options)
    const answer = async ({ message }: StreamRequest): Promise<StreamResponse> => {
      const answers = handler(await firstOf(message), context) as AsyncIterable<Values>
      return { ...response, stream: true, message: toMessages(method.output, answers) }
    }
    const call = through(answer as Next)
    try {
      const message = toMessages(method.input, input)
      const streamed = (await call({ ...request, stream: true, message } as StreamRequest)) as StreamResponse
      return { ...streamed, message: mapStream(streamed.message, { end }) }
    } catch (error) {
      end()
      throw error
    }
  }

  return {
    serve,
    unary: ((method, signal, timeoutMs, header, input, values) => {
      const handler = handlers.get(method)
      return handler
        ? unary(method, handler, input as Values, [signal, timeoutMs, header])
        : router.unary(method, signal, timeoutMs, header, input, values)
    }) as Transport['unary'],
    stream: ((method, signal, timeoutMs, header, input, values) => {
      const handler = method.methodKind === 'server_streaming' ? handlers.get(method) : undefined
      return handler
        ? stream(method, handler, input as AsyncIterable<Values>, [signal, timeoutMs, header])
        : router.stream(method, signal, timeoutMs, header, input, values)
    }) as Transport['stream'],
  }
}

/** A caller who has left, or whose time is up, waits no longer, whatever the handler does. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(ConnectError.from(signal.reason, Code.Canceled))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    work.then(resolve, reject)
  })
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message
  throw new Error('the request holds no message')
}

/** What handlers and callers give may be a message's values alone. */
function toMessages(desc: DescMessage, values: AsyncIterable<Values>): AsyncIterable<Message> {
  return mapStream(values, { change: (value) => create(desc, value) })
}
