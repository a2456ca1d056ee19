// Undoing Content-Encoding with a limit on what comes out (RFC 9110 8.4).
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

/** What comes out is larger than may be. */
export class TooLarge extends Error {}

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const gunzip: Decoder = promisify(zlib.gunzip)
const inflate: Decoder = promisify(zlib.inflate)
const inflateRaw: Decoder = promisify(zlib.inflateRaw)

const decoders: Record<string, Decoder> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (body, options) => (hasZlibHeader(body) ? inflate : inflateRaw)(body, options),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
}

/** What is asked for in Accept-Encoding. */
export const acceptedCodings = 'gzip, deflate, br, zstd'

const maxCodings = 2

/**
 * The body without its codings, at most `maxBytes` after each. Throws TooLarge, and another Error where the body is not
 * what the header says or the coding is unknown.
 */
export async function decodeContent(
  body: Uint8Array,
  contentEncoding: string | null,
  maxBytes: number,
): Promise<Uint8Array> {
  if (contentEncoding === null || body.byteLength === 0) return body
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > maxCodings) throw new Error('too many content codings')
  let decoded = body
  for (const coding of codings.reverse()) decoded = await decodeOne(decoded, coding, maxBytes)
  return decoded
}

async function decodeOne(body: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> {
  const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (decode === undefined) throw new Error('unknown content coding')
  try {
    return await decode(body, { maxOutputLength: maxBytes })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new TooLarge() : error
  }
}

/** Some servers send raw deflate, others what the standard says: RFC 1950's two bytes first, a multiple of 31. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/** The gzip file's content, or the bytes themselves where they are none. Throws as decodeContent does. */
export async function gunzipIfGzip(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return body[0] === 0x1f && body[1] === 0x8b ? decodeOne(body, 'gzip', maxBytes) : body
}
