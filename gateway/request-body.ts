// Collects the body of a request. Until it is taken, its bytes count against what its caller's network may hold.
import { Refusal } from './refusal.ts'
import { createShares, refuseFull, type Shares } from './shares.ts'
import { maxIgnored, type StreamedBody, type StreamedBodyOptions, streamBody } from './streamed-body.ts'

const minBuffer = 1024

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * The largest body, in bytes, and how many bytes of bodies that have not come to their end all callers and one network may
 * hold: where no key is needed, and where only a caller with a good key is listened to.
 */
export const bodyLimits = {
  open: { max: 64 * kibibyte, shares: { max: 16 * mebibyte, maxByNetwork: mebibyte } },
  withKey: { max: mebibyte, shares: { max: 32 * mebibyte, maxByNetwork: 8 * mebibyte } },
}
export type BodyKind = keyof typeof bodyLimits

/** A body that says it is no larger has a share of its own, which others cannot fill: small requests always get through. */
const smallBodies = {
  max: 16 * kibibyte,
  shares: { max: Number.POSITIVE_INFINITY, maxByNetwork: mebibyte },
}

/** What bodies that are read as they come may hold in memory: only what their reader has not taken yet. */
const streamedShares = { max: 64 * mebibyte, maxByNetwork: 32 * mebibyte }
/** In files, where a client on the same machine is faster than they are read: one of the largest size for each network. */
const overflowShares = { max: 512 * mebibyte, maxByNetwork: 272 * mebibyte }

/** The bodies of one server, each begun by `collect` or `stream`; `overflowFolder`: of what does not go into memory. */
export function createBodies(overflowFolder: string) {
  const small = createShares(smallBodies.shares)
  const streamed = {
    shares: createShares(streamedShares),
    overflowShares: createShares(overflowShares),
    overflowFolder,
  }
  const shares = {
    open: createShares(bodyLimits.open.shares),
    withKey: createShares(bodyLimits.withKey.shares),
  }
  return {
    collect(kind: BodyKind, options: Omit<RequestBodyOptions, 'max' | 'shares'>): RequestBody {
      const { contentLength } = options
      const isSmall = contentLength !== null && contentLength <= smallBodies.max
      return collectBody({ ...options, max: bodyLimits[kind].max, shares: isSmall ? small : shares[kind] })
    },
    stream: (options: Omit<StreamedBodyOptions, keyof typeof streamed>): StreamedBody =>
      streamBody({ ...options, ...streamed }),
  }
}

export interface RequestBody {
  /** The whole body; the bytes are the caller's then. Rejects when the client is gone; throws Refusal where it is too large. */
  take(): Promise<Uint8Array>
  /** Frees what has come; what still comes is ignored. */
  drop(): void
  /** Whether so much may still come that the connection is better closed than read on. */
  isEndless(): boolean
}

interface RequestBodyOptions {
  onData(listener: (chunk: ArrayBuffer, isLast: boolean) => void): void
  /** What the client says that it will send; null: it does not say. */
  contentLength: number | null
  /** Largest body, in bytes. */
  max: number
  shares: Shares
  network: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

/** Begins at once, for data that nobody listens to is lost; the outcome waits until it is asked for. */
export function collectBody(options: RequestBodyOptions): RequestBody {
  const { contentLength, max, shares, network, signal } = options
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  promise.catch(() => {})
  let buffer = Buffer.alloc(0)
  let length = 0
  let isOpen = true
  let isWhole = false

  function drop(): void {
    isOpen = false
    shares.giveBack(network, buffer.length)
    buffer = Buffer.alloc(0)
  }

  function refuse(reason: unknown): void {
    drop()
    reject(reason)
  }

  /** Allocates room for the bytes; what is allocated is what counts. */
  function grow(size: number): boolean {
    if (size <= buffer.length) return true
    const capacity = Math.min(contentLength ?? max, Math.max(size, 2 * buffer.length, minBuffer))
    const full = shares.take(network, capacity - buffer.length)
    if (full !== null) {
      refuse(refuseFull(full))
      return false
    }
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
    return true
  }

  signal.addEventListener('abort', () => refuse(signal.reason))
  if (contentLength !== null && contentLength > max) refuse(tooLarge(max))
  options.onData((chunk, isLast) => {
    isWhole = isLast
    if (!isOpen) return
    if (length + chunk.byteLength > max) return refuse(tooLarge(max))
    if (!grow(length + chunk.byteLength)) return
    buffer.set(new Uint8Array(chunk), length)
    length += chunk.byteLength
    if (isLast) resolve(buffer.subarray(0, length))
  })

  return {
    async take() {
      const bytes = await promise
      drop()
      return bytes
    },
    drop,
    isEndless: () => !isWhole && (contentLength === null || contentLength > maxIgnored),
  }
}

function tooLarge(max: number): Refusal {
  return new Refusal('too_large', `The body must not be larger than ${max} bytes.`)
}
