// Fetches one file of a known size and hash from an address that may answer anything. Only the whole right file gets its name.
import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Dispatcher, request } from 'undici'

const maxRedirects = 5
/** Milliseconds that a server may be silent. */
const silentTimeout = 30_000
/** Bytes a millisecond, on the whole: a slower server is given up for the next address. */
const minRate = 20
const minTimeout = 60_000

export interface DownloadOptions {
  bytes: number
  /** Hex. */
  sha256: string
  /** Told how many bytes there are, as they come. */
  progress(bytes: number): void
  signal: AbortSignal
  silentTimeout?: number
  dispatcher?: Dispatcher
}

/** `path` becomes the file of the address. The message of its error continues a sentence that begins with the address. */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  const late = AbortSignal.timeout(Math.max(minTimeout, Math.ceil(options.bytes / minRate)))
  const part = `${path}.${randomUUID()}.part`
  try {
    const body = await open(new URL(url), { ...options, signal: AbortSignal.any([options.signal, late]) })
    const hash = createHash('sha256')
    let read = 0
    await pipeline(
      body,
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          read += chunk.length
          if (read > options.bytes) throw new Error(`sends more than the ${options.bytes} bytes of the file`)
          hash.update(chunk)
          options.progress(read)
          yield chunk
        }
      },
      createWriteStream(part),
    )
    if (read < options.bytes) throw new Error(`sends ${read} of ${options.bytes} bytes`)
    const found = hash.digest('hex')
    if (found !== options.sha256)
      throw new Error(`sends another file: its SHA-256 is ${found}, not ${options.sha256}`)
    await rename(part, path)
  } catch (error) {
    options.signal.throwIfAborted()
    if (late.aborted) throw new Error(`sends less than ${minRate} kB a second`)
    throw new Error(sentenceOf(error), { cause: error })
  } finally {
    await rm(part, { force: true })
  }
}

/** The body of the answer, redirects followed; never from https to less. */
async function open(start: URL, options: DownloadOptions): Promise<Dispatcher.ResponseData['body']> {
  let url = start
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { statusCode, headers, body } = await request(url.href, {
      signal: options.signal,
      headersTimeout: options.silentTimeout ?? silentTimeout,
      bodyTimeout: options.silentTimeout ?? silentTimeout,
      ...(options.dispatcher && { dispatcher: options.dispatcher }),
    })
    if (statusCode === 200) {
      const type = String(headers['content-type'] ?? '')
      if (!/^text\/html\b/i.test(type)) return body
      leave(body)
      throw new Error('sends a page in HTML, not the file')
    }
    leave(body)
    const location = headers.location
    if (statusCode < 300 || statusCode > 399 || typeof location !== 'string')
      throw new Error(`answers ${statusCode}`)
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null
    if (next?.protocol !== 'https:' && next?.protocol !== start.protocol) {
      throw new Error('redirects to an address that is not https')
    }
    url = next
  }
  throw new Error(`redirects more than ${maxRedirects} times`)
}

/** A body that nobody reads ends with an error when it is left. */
function leave(body: Dispatcher.ResponseData['body']) {
  body.on('error', () => {}).destroy()
}

/** The error of a connection as a sentence that begins with the address. */
function sentenceOf(error: unknown): string {
  const { code, message, path } = error as { code?: string; message?: string; path?: string }
  if (code && path) return `is there, but the file cannot be written (${code})`
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'is silent'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'breaks off'
  const refusal = /^Proxy response \((\d+)\)/.exec(message ?? '')?.[1]
  if (refusal) return `cannot be reached: the proxy answers ${refusal}`
  return code ? `cannot be reached (${code})` : String(message ?? error)
}
