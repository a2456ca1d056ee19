// The body of a request that is read as it comes: the client is held back while its reader is slower.
import { type Overflow, openOverflow } from './overflow.ts'
import { Refusal } from './refusal.ts'
import { refuseFull, type Shares } from './shares.ts'

/** Bytes that wait for the reader before the client is held back. */
const highWater = 256 * 1024

/**
 * Bytes of one body in memory; what comes beyond them goes into a file. uWebSockets.js reads on after it was paused, for as long as
 * a client on the same machine sends as fast as it reads.
 */
const maxInMemory = 8 * 1024 * 1024
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
  /** What all such bodies may hold, and those of one network: in memory, and in files. */
  shares: Shares
  overflowShares: Shares
  /** Folder of what does not go into memory. */
  overflowFolder: string
  network: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

export function streamBody(options: StreamedBodyOptions): StreamedBody {
  const { contentLength, shares, overflowShares, network, signal } = options
  let waiting: Uint8Array[] = []
  let size = 0
  let received = 0
  let overflow: Overflow | null = null
  let overflowed = 0
  let isWhole = false
  let isPaused = false
  /** Why nothing more is read. */
  let ended: { reason: unknown } | null = null
  let wake = () => {}

  /** Data that arrives after a pause restarts the timeout of uWebSockets.js, so a pause is repeated. */
  function hold(isHeld: boolean): void {
    if ((!isHeld && !isPaused) || signal.aborted) return
    isPaused = isHeld
    if (isHeld) options.pause()
    else options.resume()
  }

  function end(reason: unknown): void {
    ended ??= { reason }
    shares.giveBack(network, size)
    waiting = []
    size = 0
    closeOverflow()
    hold(false)
    wake()
  }

  /** Its room on the disk is free again. */
  function closeOverflow(): void {
    overflow?.close()
    overflowShares.giveBack(network, overflowed)
    overflowed = 0
  }

  /**
   * Resuming restarts the timeout of uWebSockets.js. After the last data nothing can stop it again, so a body that is complete while
   * it is paused stays paused until `end`: reading it may take longer than the timeout.
   */
  function balance(): void {
    if (!isWhole) hold(size >= highWater || overflow?.isEmpty() === false)
  }

  function spill(bytes: Uint8Array): boolean {
    const full = overflowShares.take(network, bytes.length)
    if (full !== null) {
      end(refuseFull(full))
      return false
    }
    overflowed += bytes.length
    try {
      overflow ??= openOverflow(options.overflowFolder)
      overflow.write(bytes)
      return true
    } catch {
      end(refuseFull('process'))
      return false
    }
  }

  signal.addEventListener('abort', () => end(signal.reason))
  options.onData((chunk, isLast) => {
    isWhole = isLast
    received += chunk.byteLength
    if (ended === null && chunk.byteLength > 0) {
      if (size + chunk.byteLength > maxInMemory || overflow?.isEmpty() === false) {
        if (!spill(new Uint8Array(chunk))) return
      } else {
        const full = shares.take(network, chunk.byteLength)
        if (full !== null) return end(refuseFull(full))
        waiting.push(new Uint8Array(chunk.slice(0)))
        size += chunk.byteLength
      }
      balance()
    }
    wake()
  })

  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (ended) throw ended.reason
      const piece = waiting.shift()
      if (piece) {
        size -= piece.byteLength
        shares.giveBack(network, piece.byteLength)
        balance()
        yield piece
      } else if (overflow?.isEmpty() === false) {
        const read = await overflow.read()
        balance()
        yield read
      } else if (isWhole) {
        closeOverflow()
        return
      } else {
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
