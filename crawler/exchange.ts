// Sends one request and reads its response, over a pool of kept-alive connections. No redirects, no retries, limits on size and time.
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import pTimeout from 'p-timeout'
import type { Agent, Dispatcher } from 'undici'
import { FetchFault, type HttpResponse, readHeader, toFault } from './fetch-result.ts'

export interface Exchange {
  url: URL
  method?: 'GET' | 'POST'
  body?: Uint8Array
  headers: Record<string, string>
  maxBytes: number
  /** Timeout of the whole exchange, including connecting. */
  timeoutMs: number
  signal?: AbortSignal
  /** Called after the headers arrived. An unwanted body is not awaited. */
  wantsBody(status: number, headers: HttpResponse['headers']): boolean
}

const noBytes = new Uint8Array(0)

/** Maximum bytes of an unwanted body to read, because closing the connection costs more. */
const maxDrainedBytes = 64 * 1024

/**
 * Rejects with FetchFault, and with the signal's reason as soon as it aborts. If the body is not wanted, resolves at
 * once, and drains the body so that the connection can be reused.
 */
export async function exchange(agent: Agent, request: Exchange): Promise<HttpResponse> {
  const { url, method = 'GET', body: sent = null, headers, maxBytes, timeoutMs, signal, wantsBody } = request
  signal?.throwIfAborted()
  // AbortSignal.any would keep a dependent of the signal for each request.
  const ending = new AbortController()
  const leave = () => ending.abort(signal?.reason)
  const timer = setTimeout(() => ending.abort(new FetchFault('timeout')), timeoutMs)
  signal?.addEventListener('abort', leave, { once: true })
  let answered = false
  try {
    const response = agent.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method, headers, body: sent },
      ...{ headersTimeout: 0, bodyTimeout: 0, signal: ending.signal },
    })
    // While undici connects, it ignores the signal.
    const { statusCode, body, ...head } = await pTimeout(response, {
      milliseconds: Number.POSITIVE_INFINITY,
      signal: ending.signal,
    })
    answered = true
    const answer = { status: statusCode, headers: head.headers, body: noBytes }
    if (wantsBody(statusCode, head.headers)) {
      const encoded = await readWhole(body, maxBytes, head.headers)
      return {
        ...answer,
        body: await decodeContent(encoded, readHeader(answer, 'content-encoding'), maxBytes),
      }
    }
    body.dump({ limit: maxDrainedBytes, signal: AbortSignal.timeout(timeoutMs) }).catch(() => {})
    return answer
  } catch (error) {
    signal?.throwIfAborted()
    throw Object.assign(toFault(error), { answered })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** Reads the body into its own buffer, which can be transferred to another thread. Rejects with FetchFault. */
async function readWhole(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  headers: HttpResponse['headers'],
): Promise<Uint8Array> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy()
    throw new FetchFault('too_large')
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new FetchFault('too_large')
    chunks.push(chunk)
  }
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) at += chunk.copy(whole, at)
  return whole
}

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

/** Reads gzip and zlib data. */
const unzip: Decoder = promisify(zlib.unzip)

const decoders = new Map<string, Decoder>([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', unzip],
  ['br', promisify(zlib.brotliDecompress)],
  ['zstd', promisify(zlib.zstdDecompress)],
])

/** The value of Accept-Encoding. */
export const acceptedCodings = 'gzip, br, zstd'

const maxCodings = 2

/** Decodes content codings (RFC 9110 8.4), with at most `maxBytes` from each. Rejects with FetchFault. */
async function decodeContent(body: Uint8Array, encoding: string | null, maxBytes: number) {
  if (encoding === null || body.byteLength === 0) return body
  const listed = encoding.toLowerCase().split(/[\s,]+/)
  const codings = listed.filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > maxCodings) throw new FetchFault('parse')
  let decoded = body
  for (const coding of codings.reverse()) {
    try {
      decoded = await decoders.get(coding)!(decoded, { maxOutputLength: maxBytes })
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      throw new FetchFault(isTooLarge ? 'too_large' : 'parse')
    }
  }
  return decoded
}

/** Decompresses gzip data. Returns other data unchanged. Rejects with FetchFault. */
export async function gunzipIfGzip(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return body[0] === 0x1f && body[1] === 0x8b ? decodeContent(body, 'gzip', maxBytes) : body
}
