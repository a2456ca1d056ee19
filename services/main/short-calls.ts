// A gateway's calls that stream nothing, from a message to its answer over HTTP/2 without the layers between: the other side of
// services/server/short-calls.ts.
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { create, type DescMethodUnary, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { codeFromHttpStatus, errorFromJsonBytes, protocolVersion } from '@connectrpc/connect/protocol-connect'
import { shortContentType } from '../server/short-calls.ts'
import type { CoreConnection } from './core-connection.ts'

interface Answered {
  headers: IncomingHttpHeaders
  body: Uint8Array
}

/** A core that is closing refuses what it has not begun: such a call is made once more, and goes to another. */
const mostTries = 2

export function createShortCalls(connection: CoreConnection): Transport['unary'] {
  return async (method, signal, timeoutMs, header, input) => {
    const desc = method as DescMethodUnary
    const bytes = toBinary(desc.input, create(desc.input, input) as Message)
    const headers = {
      ...Object.fromEntries(new Headers(header)),
      'content-type': shortContentType,
      'connect-protocol-version': protocolVersion,
      ...(timeoutMs !== undefined && { 'connect-timeout-ms': String(timeoutMs) }),
    }
    const ask = async (tries: number): Promise<Answered> => {
      const stream = await connection.request('POST', `/${desc.parent.typeName}/${desc.name}`, headers, {})
      try {
        return await read(connection, stream, bytes, signal, timeoutMs)
      } catch (error) {
        if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM || tries === mostTries) throw error
        return ask(tries + 1)
      }
    }
    const { headers: answered, body } = await ask(1)
    const status = Number(answered[':status'])
    if (status !== 200) throw toError(status, answered, body)
    return {
      stream: false,
      service: desc.parent,
      method,
      header: toHeaders(answered),
      trailer: new Headers(),
      message: fromBinary(method.output, body),
    }
  }
}

function read(
  connection: CoreConnection,
  stream: ClientHttp2Stream,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const end = (error: ConnectError) => {
      reject(error)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    const leave = () => end(ConnectError.from(signal!.reason, Code.Canceled))
    const late = () => end(new ConnectError('the core took too long', Code.DeadlineExceeded))
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
    const pieces: Buffer[] = []
    let headers: IncomingHttpHeaders = {}
    stream.on('response', (answered) => {
      headers = answered
    })
    stream.on('data', (piece: Buffer) => {
      connection.notifyResponseByteRead(stream)
      pieces.push(piece)
    })
    stream.on('error', (error) => reject(toLoss(error)))
    stream.on('close', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      // A connection that is lost amid an answer ends it too.
      const isWhole = headers[':status'] !== undefined && stream.rstCode === constants.NGHTTP2_NO_ERROR
      if (!isWhole) return reject(toLoss())
      resolve({ headers, body: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) })
    })
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) return leave()
    stream.end(bytes)
  })
}

const toLoss = (cause?: unknown) =>
  new ConnectError('the core is away', Code.Unavailable, undefined, undefined, cause)

function toError(status: number, headers: IncomingHttpHeaders, body: Uint8Array): ConnectError {
  const fallback = new ConnectError(`HTTP ${status}`, codeFromHttpStatus(status))
  try {
    return errorFromJsonBytes(body, toHeaders(headers), fallback)
  } catch {
    return fallback
  }
}

function toHeaders(headers: IncomingHttpHeaders): Headers {
  const found = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) found.set(name, value)
  }
  return found
}
