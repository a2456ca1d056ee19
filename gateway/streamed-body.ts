// The body of a request that is read as it comes: the client is held back while its reader is slower.
import { Refusal } from './refusal.ts'
import { refuseFull, type Shares } from './shares.ts'

/**
 * Bytes that wait for the reader before the client is held back. uWebSockets.js reads on until a read finds less than its buffer
 * takes, whatever it was told meanwhile: a client on this machine that writes as fast as that is read may be far ahead.
 */
const highWater = 256 * 1024

/** Bytes that may come before anyone asks for them: until then nobody knows who sends them. */
const maxUnasked = 32 * 1024 * 1024

/** What is left of a refused body is read and forgotten up to this size; a larger one is cut off. In bytes. */
export const maxIgnored = 8 * 1024 * 1024

export interface StreamedBody {
  /** For one reader. Rejects when the client is gone. */
  pieces(): AsyncIterable<Uint8Array>
  /** Frees what has come; what still comes is ignored. */
  drop(): void
  /** Whether so much may still come that the connection is better closed than read on. */
  isEndless(): boolean
}

export interface StreamedBodyOptions {
  onData(listener: (chunk: ArrayBuffer, isLast: boolean) => void): void
  pause(): void
  resume(): void
  /** What the client says that it will send; null: it does not say. */
  contentLength: number | null
  /** What all such bodies may hold, and those of one network. */
  shares: Shares
  network: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

export function streamBody(options: StreamedBodyOptions): StreamedBody {
  const { contentLength, shares, network, signal } = options
  let waiting: Uint8Array[] = []
  let size = 0
  let received = 0
  let isWhole = false
  let isPaused = false
  let isAsked = false
  /** Why nothing more is read. */
  let ended: { reason: unknown } | null = null
  let wake = () => {}

  function hold(isHeld: boolean): void {
    if (isHeld === isPaused || signal.aborted) return
    isPaused = isHeld
    if (isHeld) options.pause()
    else options.resume()
  }

  function end(reason: unknown): void {
    ended ??= { reason }
    shares.giveBack(network, size)
    waiting = []
    size = 0
    hold(false)
    wake()
  }

  signal.addEventListener('abort', () => end(signal.reason))
  options.onData((chunk, isLast) => {
    isWhole = isLast
    received += chunk.byteLength
    if (ended === null && chunk.byteLength > 0) {
      const isTooMuch = !isAsked && size + chunk.byteLength > maxUnasked
      const full = isTooMuch ? 'network' : shares.take(network, chunk.byteLength)
      if (full !== null) return end(refuseFull(full))
      waiting.push(new Uint8Array(chunk.slice(0)))
      size += chunk.byteLength
      hold(size >= highWater && !isLast)
    }
    wake()
  })

  async function* pieces(): AsyncGenerator<Uint8Array> {
    isAsked = true
    for (;;) {
      if (ended) throw ended.reason
      const piece = waiting.shift()
      if (piece) {
        size -= piece.byteLength
        shares.giveBack(network, piece.byteLength)
        hold(size >= highWater && !isWhole)
        yield piece
      } else if (isWhole) return
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }

  return {
    pieces,
    drop: () => end(new Refusal('invalid', 'The body is read no further.')),
    isEndless: () => !isWhole && (contentLength === null || contentLength - received > maxIgnored),
  }
}
