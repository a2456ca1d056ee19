// Reads the body of a request, whole or piece by piece. Until bytes are read, they count against the quota of the caller's
// network.
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal, rateLimited } from './errors.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

interface BodyLimits {
  /** Bytes of a body. */
  max: number
  /** Bytes of one body in memory. */
  maxInMemory: number
  /** Unread bytes at which the client is paused. */
  highWater: number
  /** Unread bytes in memory. */
  quota: QuotaLimits
}

/** A body that is read whole. */
const collected = (max: number, quota: QuotaLimits): BodyLimits => ({
  ...{ max, maxInMemory: max, quota },
  highWater: Number.POSITIVE_INFINITY,
})

export const bodyLimits = {
  /** Calls that need no key. */
  open: collected(64 * kibibyte, { max: 16 * mebibyte, maxByNetwork: mebibyte }),
  /** A valid key is needed before the body is read. */
  withKey: collected(mebibyte, { max: 32 * mebibyte, maxByNetwork: 8 * mebibyte }),
  /** Read piece by piece. The reader limits the size. */
  streamed: {
    max: Number.POSITIVE_INFINITY,
    maxInMemory: 8 * mebibyte,
    highWater: 256 * kibibyte,
    quota: { max: 64 * mebibyte, maxByNetwork: 32 * mebibyte },
  },
}
export type BodyKind = keyof typeof bodyLimits

/** Bodies declared no larger than this have a separate quota, so that large bodies never block small requests. */
const smallBodies = { max: 16 * kibibyte, quota: { max: Number.POSITIVE_INFINITY, maxByNetwork: mebibyte } }
/** Quota of bytes in files, for clients faster than the reader: one body of the maximum size per network. */
const fileQuota = { max: 512 * mebibyte, maxByNetwork: 272 * mebibyte }

/** Bytes: the first allocation for a body. */
const minBuffer = kibibyte
/** Bytes of a refused body that are read and discarded, and for how long. Shorter than uWebSockets.js waits for data. */
const maxDiscarded = 64 * mebibyte
const discardTimeoutMs = 5_000
const filePiece = 512 * kibibyte

interface QuotaLimits {
  max: number
  maxByNetwork: number
}

type Quota = ReturnType<typeof createQuota>

/**
 * Limits the bytes that callers hold at a time, in total and by network, so that one caller leaves room for
 * others.
 */
export function createQuota({ max, maxByNetwork }: QuotaLimits) {
  const byNetwork = new Map<string, number>()
  let used = 0

  function add(network: string, amount: number): void {
    const sum = (byNetwork.get(network) ?? 0) + amount
    if (sum > 0) byNetwork.set(network, sum)
    else byNetwork.delete(network)
    used += amount
  }

  return {
    /** Takes the whole amount, or takes nothing and throws Refusal. */
    take(network: string, amount: number): void {
      if ((byNetwork.get(network) ?? 0) + amount > maxByNetwork)
        throw rateLimited('Too many requests are being sent from this address.', 10)
      if (used + amount > max) throw tooMany()
      add(network, amount)
    },
    release: (network: string, amount: number) => add(network, -amount),
    used: () => used,
  }
}

const tooMany = () => new Refusal('unavailable', 'Too many requests are being sent.')

export interface BodyArrival {
  onData(listener: (chunk: ArrayBuffer, isLast: boolean) => void): void
  pause(): void
  resume(): void
  /** Length that the client declared, or null. */
  contentLength: number | null
  network: string
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

interface BodyOptions extends BodyArrival, Omit<BodyLimits, 'quota'> {
  quota: Quota
  fileQuota: Quota
  overflowFolder: string
}

export type Body = ReturnType<typeof openBody>

/** Creates the function that opens bodies of one server. `overflowFolder`: for bytes that exceed memory. */
export function createBodies(overflowFolder: string) {
  const small = createQuota(smallBodies.quota)
  const quotas = new Map(Object.entries(bodyLimits).map(([kind, { quota }]) => [kind, createQuota(quota)]))
  const files = { fileQuota: createQuota(fileQuota), overflowFolder }
  return (kind: BodyKind, arrival: BodyArrival): Body => {
    const isSmall = (arrival.contentLength ?? Number.POSITIVE_INFINITY) <= smallBodies.max
    return openBody({ ...arrival, ...bodyLimits[kind], ...files, quota: isSmall ? small : quotas.get(kind)! })
  }
}

/** Takes the bytes at once, because data without a listener is lost. Pauses a client that is faster than the reader. */
export function openBody(options: BodyOptions) {
  const { contentLength, max, maxInMemory, highWater, quota, fileQuota, network, signal } = options
  let buffer = Buffer.alloc(0)
  let length = 0
  let received = 0
  /** Bytes that exceed memory: after a pause, uWebSockets.js still reads as long as a client on the same machine sends as fast as it reads. */
  let overflow: ReturnType<typeof openOverflow> | null = null
  let overflowed = 0
  let isWhole = false
  let isPaused = false
  /** Why reading ended, or null. */
  let ended: { reason: unknown } | null = null
  let wake = () => {}

  /** Pauses again even if paused: data that arrives after a pause restarts the timeout of uWebSockets.js. */
  function hold(isHeld: boolean): void {
    if ((!isHeld && !isPaused) || signal.aborted) return
    isPaused = isHeld
    if (isHeld) options.pause()
    else options.resume()
  }

  function end(reason: unknown): void {
    ended ??= { reason }
    empty()
    closeOverflow()
    hold(false)
    wake()
  }

  /** Forgets the bytes in memory. */
  function empty(): void {
    quota.release(network, buffer.length)
    buffer = Buffer.alloc(0)
    length = 0
  }

  /** Frees the space on the disk. */
  function closeOverflow(): void {
    overflow?.close()
    overflow = null
    fileQuota.release(network, overflowed)
    overflowed = 0
  }

  /**
   * Resuming restarts the timeout of uWebSockets.js, and after the last data nothing stops it. So a body that is complete while
   * paused stays paused until `end`: reading it may take longer than the timeout.
   */
  function balance(): void {
    if (!isWhole) hold(length >= highWater || overflow?.isEmpty() === false)
  }

  /** Stores the bytes for the reader. Throws Refusal if a limit is reached. */
  function keep(bytes: Uint8Array): void {
    if (length + bytes.length <= maxInMemory && overflow?.isEmpty() !== false) {
      grow(length + bytes.length)
      buffer.set(bytes, length)
      length += bytes.length
      return
    }
    fileQuota.take(network, bytes.length)
    overflowed += bytes.length
    try {
      overflow ??= openOverflow(options.overflowFolder)
      overflow.write(bytes)
    } catch {
      throw tooMany()
    }
  }

  /** Reserves memory. Reserved bytes count against the quota before they are received. */
  function grow(size: number): void {
    if (size <= buffer.length) return
    const capacity = Math.min(contentLength ?? max, maxInMemory, Math.max(size, 2 * buffer.length, minBuffer))
    quota.take(network, capacity - buffer.length)
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }

  const tooLarge = () => end(new Refusal('too_large', `The body must not be larger than ${max} bytes.`))
  signal.addEventListener('abort', () => end(signal.reason))
  if (contentLength !== null && contentLength > max) tooLarge()
  options.onData((chunk, isLast) => {
    isWhole = isLast
    received += chunk.byteLength
    if (ended === null && chunk.byteLength > 0) {
      if (received > max) return tooLarge()
      try {
        keep(new Uint8Array(chunk))
      } catch (refusal) {
        return end(refusal)
      }
      balance()
    }
    wake()
  })

  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })

  /** The bytes in memory, which the caller then owns. */
  function takeMemory(): Uint8Array {
    const bytes = buffer.subarray(0, length)
    empty()
    return bytes
  }

  return {
    /** Returns the whole body. Rejects with Refusal if it is too large, or if the client is gone. */
    async whole(): Promise<Uint8Array> {
      while (!isWhole && !ended) await more()
      if (ended) throw ended.reason
      return takeMemory()
    },
    /** Yields the body as it arrives, for one reader. Rejects if the client is gone. */
    async *pieces(): AsyncGenerator<Uint8Array> {
      for (;;) {
        if (ended) throw ended.reason
        if (length > 0) {
          const piece = takeMemory()
          balance()
          yield piece
        } else if (overflow?.isEmpty() === false) {
          const piece = overflow.read()
          balance()
          yield piece
        } else if (isWhole) {
          return closeOverflow()
        } else {
          await more()
        }
      }
    },
    /**
     * Frees the received bytes and discards what follows. `waits`: until it has arrived, because many clients read no answer before
     * they have sent the whole body. Resolves to whether more may follow, so that the connection should be closed.
     */
    async drop(waits = false): Promise<boolean> {
      end(new Refusal('invalid', 'The body is read no further.'))
      if (isWhole || !waits) return !isWhole
      const max = received + maxDiscarded
      const late = AbortSignal.timeout(discardTimeoutMs)
      late.addEventListener('abort', () => wake())
      while (!isWhole && received < max && !late.aborted && !signal.aborted) await more()
      return !isWhole
    },
  }
}

/**
 * Opens an unlinked file, which disappears with the process. Writes are synchronous, because a client on the same machine sends
 * without a pause, and reads find what was just written in the system's cache. It is in the data folder, because /tmp is memory
 * on many machines. Throws if it cannot be created.
 */
function openOverflow(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `overflow-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let start = 0
  let end = 0
  return {
    isEmpty: () => start === end,
    /** Throws if the disk is full. */
    write(bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, end + at)
      end += bytes.length
    },
    /** Returns the next bytes. Only call it while not empty. */
    read(): Uint8Array {
      const buffer = Buffer.allocUnsafe(Math.min(filePiece, end - start))
      const length = readSync(file, buffer, 0, buffer.length, start)
      start += length
      return buffer.subarray(0, length)
    },
    close: () => closeSync(file),
  }
}
