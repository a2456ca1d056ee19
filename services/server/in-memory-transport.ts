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
  type ContextValues,
  createHandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'
import { type Handler, handlersOf } from '../routes.ts'
import { mapStream } from '../stream/map-stream.ts'
import type { Core } from './core.ts'

const url = 'https://in-memory'

/** Why signals abort after their call: made once, for an error's stack is costly. */
const ended = new ConnectError('the call has ended', Code.Canceled)

type Values = MessageInitShape<DescMessage>
type Next = ReturnType<Interceptor>
type CallOptions = [
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  header: ConstructorParameters<typeof Headers>[0] | undefined,
  values: ContextValues | undefined,
]

interface InMemoryTransport extends Transport {
  /** Calls from now on are this core's; those under way stay with the one before. */
  serve(core: Core): void
}

/** The context values of a call are those that its handler gets. RPCs that no handler serves are unimplemented. */
export function createInMemoryTransport(first: Core): InMemoryTransport {
  let core: Core
  let handlers: Map<DescMethod, Handler>

  function serve(next: Core) {
    core = next
    handlers = handlersOf(next.implementation)
  }
  serve(first)

  function handlerOf(method: DescMethod): Handler {
    return handlers.get(method) ?? (() => refuse(method))
  }

  /** One call through the interceptors to the handler. `end` is to be called when all is over. */
  function begin<Method extends DescMethod>(
    method: Method,
    [signal, timeoutMs, header, values]: CallOptions,
  ) {
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

  async function unary(method: DescMethodUnary, input: Values, options: CallOptions) {
    const handler = handlerOf(method)
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

  async function stream(method: DescMethodStreaming, input: AsyncIterable<Values>, options: CallOptions) {
    const handler = handlerOf(method)
    const { methodKind } = method
    const { context, request, response, through, end } = begin(method, options)
    const answer = async ({ message }: StreamRequest): Promise<StreamResponse> => {
      const given = methodKind === 'server_streaming' ? await firstOf(message) : message
      const answers = handler(given, context)
      const streamed = methodKind === 'client_streaming' ? one(await answers) : answers
      return {
        ...response,
        stream: true,
        message: toMessages(method.output, streamed as AsyncIterable<Values>),
      }
    }
    const call = through(answer as Next)
    try {
      const message = toMessages(method.input, input)
      const streamed = (await call({ ...request, stream: true, message } as StreamRequest)) as StreamResponse
      return { ...streamed, message: mapStream(streamed.message, { onEnd: end }) }
    } catch (error) {
      end()
      throw error
    }
  }

  return {
    serve,
    unary: ((method, signal, timeoutMs, header, input, values) =>
      unary(method, input as Values, [signal, timeoutMs, header, values])) as Transport['unary'],
    stream: ((method, signal, timeoutMs, header, input, values) =>
      stream(method, input as AsyncIterable<Values>, [
        signal,
        timeoutMs,
        header,
        values,
      ])) as Transport['stream'],
  }
}

function refuse({ parent, name }: DescMethod): never {
  throw new ConnectError(`${parent.typeName}.${name} is not implemented`, Code.Unimplemented)
}

async function* one<Item>(item: Item): AsyncGenerator<Item> {
  yield item
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
  return mapStream(values, { map: (value) => create(desc, value) })
}
