// Calls that stream nothing, answered from HTTP/2 to the handler and back without the layers between that serve every protocol: a
// gateway's, which wait for nothing else. Connect's protocol (https://connectrpc.com/docs/protocol, "Unary RPCs") in its
// plainest form: one message in binary, not compressed; whatever else is asked goes through Connect's own adapter.
import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest, type ServerHttp2Stream } from 'node:http2'
import { type DescMethodUnary, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createContextValues, type Transport } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes, parseTimeout } from '@connectrpc/connect/protocol-connect'
import { peerKey } from '../context.ts'
import { services } from '../routes.ts'
import { greatestMessage } from './core.ts'

/** Made once, for an error's stack is costly. */
const tooLarge = new ConnectError(`a message takes at most ${greatestMessage} bytes`, Code.ResourceExhausted)
const callerGone = new ConnectError('the caller has gone', Code.Canceled)

export const shortContentType = 'application/proto'

/** By path. */
const methods = new Map<string, DescMethodUnary>()
for (const service of services) {
  for (const method of service.methods) {
    if (method.methodKind === 'unary')
      methods.set(`/${service.typeName}/${method.name}`, method as DescMethodUnary)
  }
}

/** Answers a request that is such a call, and says whether it is one. `stopping`: calls under way are given up. */
export function answerShortCall(
  transport: Transport,
  request: IncomingMessage,
  stopping: AbortSignal,
): boolean {
  const { headers, httpVersionMajor } = request
  const isShort =
    httpVersionMajor === 2 &&
    request.method === 'POST' &&
    headers['content-type'] === shortContentType &&
    headers['content-encoding'] === undefined &&
    headers.origin === undefined
  const method = isShort ? methods.get(request.url!) : undefined
  if (method === undefined) return false
  const { stream } = request as unknown as Http2ServerRequest
  void answer(transport, method, request, stream, stopping)
  return true
}

async function answer(
  transport: Transport,
  method: DescMethodUnary,
  request: IncomingMessage,
  stream: ServerHttp2Stream,
  stopping: AbortSignal,
) {
  const gone = new AbortController()
  const leave = () => gone.abort(stopping.reason)
  stopping.addEventListener('abort', leave)
  stream.on('close', () => {
    stopping.removeEventListener('abort', leave)
    if (!stream.writableEnded) gone.abort(callerGone)
  })
  stream.on('error', () => {})
  try {
    const bytes = await readAll(stream)
    const values = createContextValues().set(peerKey, request.socket.remoteAddress ?? '')
    const { timeoutMs, error } = parseTimeout(header(request, 'connect-timeout-ms'), Number.POSITIVE_INFINITY)
    if (error) throw error
    const answered = await transport.unary(
      method,
      gone.signal,
      timeoutMs,
      toHeaders(request),
      toMessage(method, bytes),
      values,
    )
    reply(
      stream,
      200,
      shortContentType,
      answered.header,
      toBinary(method.output, answered.message as Message),
    )
  } catch (error) {
    const told = ConnectError.from(error)
    reply(stream, codeToHttpStatus(told.code), 'application/json', told.metadata, errorToJsonBytes(told, {}))
  }
}

function reply(stream: ServerHttp2Stream, status: number, type: string, headers: Headers, body: Uint8Array) {
  if (stream.destroyed || stream.headersSent) return
  stream.respond({ ...Object.fromEntries(headers), ':status': status, 'content-type': type })
  stream.end(body)
  // What is left of a request that was too large is not waited for.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
}

/** Rejects where the message is too large, or its caller goes. */
function readAll(stream: ServerHttp2Stream): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    stream.on('data', (piece: Buffer) => {
      length += piece.length
      if (length <= greatestMessage) pieces.push(piece)
      else reject(tooLarge)
    })
    stream.on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
    stream.on('close', () => reject(callerGone))
  })
}

function toMessage(method: DescMethodUnary, bytes: Uint8Array): Message {
  try {
    return fromBinary(method.input, bytes)
  } catch {
    throw new ConnectError(`the request is no ${method.input.name}`, Code.InvalidArgument)
  }
}

const header = (request: IncomingMessage, name: string): string | null =>
  (request.headers[name] as string | undefined) ?? null

function toHeaders({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !name.startsWith(':') ? [[name, value]] : [],
  )
}
