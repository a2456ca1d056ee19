// Collects the body of a request. Until it is taken, its bytes count against what its caller's network may hold.
import { Refusal } from './refusal.ts'
import type { Shares } from './shares.ts'

/** Largest body, in bytes. */
export const maxBody = 1024 * 1024
const minBuffer = 1024

/** What is left of a refused body is read and forgotten up to this size; a larger one is cut off. In bytes. */
const maxIgnored = 8 * 1024 * 1024

/** Bytes of bodies that have not come to their end: of all callers, and of one network. */
export const bodyShares = { max: 32 * 1024 * 1024, maxByNetwork: 8 * 1024 * 1024 }

export interface RequestBody {
  /** The whole body; the bytes are the caller's then. Rejects when the client is gone; throws Refusal where it is too large. */
  take(): Promise<Uint8Array>
  /** Lets go of what has come; what still comes is passed over. */
  drop(): void
  /** Whether so much may still come that the connection is better closed than read on. */
  isEndless(): boolean
}

export interface RequestBodyOptions {
  onData(listener: (chunk: ArrayBuffer, isLast: boolean) => void): void
  /** What the client says that it will send; null: it does not say. */
  contentLength: number | null
  shares: Shares
  network: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

/** Begins at once, for data that nobody listens to is lost; the outcome waits until it is asked for. */
export function collectBody(options: RequestBodyOptions): RequestBody {
  const { contentLength, shares, network, signal } = options
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

  /** Makes room for so many bytes; what is allocated is what counts. */
  function grow(size: number): boolean {
    if (size <= buffer.length) return true
    const capacity = Math.min(maxBody, Math.max(size, 2 * buffer.length, minBuffer))
    const full = shares.take(network, capacity - buffer.length)
    if (full !== null) {
      refuse(toRefusal(full))
      return false
    }
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
    return true
  }

  signal.addEventListener('abort', () => refuse(signal.reason))
  if (contentLength !== null && contentLength > maxBody) refuse(tooLarge())
  options.onData((chunk, isLast) => {
    isWhole = isLast
    if (!isOpen) return
    if (length + chunk.byteLength > maxBody) return refuse(tooLarge())
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

function tooLarge(): Refusal {
  return new Refusal('too_large', `The body must not be larger than ${maxBody} bytes.`)
}

function toRefusal(full: 'network' | 'process'): Refusal {
  return full === 'network'
    ? new Refusal(
        'rate_limited',
        'Too many requests are being sent from this address.',
        {},
        { 'retry-after': '10' },
      )
    : new Refusal('unavailable', 'Too many requests are being sent.')
}
