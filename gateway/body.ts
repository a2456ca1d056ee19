// Reads the body of a request: `collect` returns it whole, `stream` piece by piece. Until bytes are read, they count against
// the quota of the caller's network.
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Refusal, rateLimited } from './errors.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * Maximum size of a body in bytes, and the quotas for unfinished bodies. `open`: calls that need no key. The others need a
 * valid key before the body is read.
 */
export const bodyLimits = {
  open: { max: 64 * kibibyte, quota: { max: 16 * mebibyte, maxByNetwork: mebibyte } },
  withKey: { max: mebibyte, quota: { max: 32 * mebibyte, maxByNetwork: 8 * mebibyte } },
}
export type BodyKind = keyof typeof bodyLimits

/** Bodies declared no larger than this have a separate quota, so that large bodies never block small requests. */
const smallBodies = { max: 16 * kibibyte, quota: { max: Number.POSITIVE_INFINITY, maxByNetwork: mebibyte } }
/** Quota of streamed bodies in memory. Only unread bytes count. */
const streamedQuota = { max: 64 * mebibyte, maxByNetwork: 32 * mebibyte }
/** Quota of streamed bodies in files, for clients faster than the reader: one body of the maximum size per network. */
const fileQuota = { max: 512 * mebibyte, maxByNetwork: 272 * mebibyte }

/** Bytes: the first allocation for a collected body. */
const minBuffer = kibibyte
/** Unread bytes of a streamed body at which the client is paused. */
const highWater = 256 * kibibyte
/**
 * Bytes of one streamed body in memory. Further bytes go into a file: after a pause, uWebSockets.js still reads as long as a
 * client on the same machine sends as fast as it reads.
 */
const maxInMemory = 8 * mebibyte
/** Bytes of a refused body that are read and discarded. If more may follow, the connection is closed. */
const maxIgnored = 8 * mebibyte
const filePiece = 512 * kibibyte

type Quota = ReturnType<typeof createQuota>

/**
 * Limits the bytes that callers hold at a time, in total and by network, so that one caller leaves room for
 * others.
 */
export function createQuota({ max, maxByNetwork }: { max: number; maxByNetwork: number }) {
  const byNetwork = new Map<string, number>()
  let used = 0

  function add(network: string, amount: number): void {
    const sum = (byNetwork.get(network) ?? 0) + amount
    if (sum > 0) byNetwork.set(network, sum)
    else byNetwork.delete(network)
    used += amount
  }

  return {
    /** Takes the whole amount and returns null, or takes nothing and returns which limit is reached. */
    take(network: string, amount: number): 'network' | 'process' | null {
      if ((byNetwork.get(network) ?? 0) + amount > maxByNetwork) return 'network'
      if (used + amount > max) return 'process'
      add(network, amount)
      return null
    },
    release: (network: string, amount: number) => add(network, -amount),
    used: () => used,
  }
}

function refuseFull(limit: 'network' | 'process'): Refusal {
  return limit === 'process'
    ? new Refusal('unavailable', 'Too many requests are being sent.')
    : rateLimited('Too many requests are being sent from this address.', 10)
}

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

interface CollectOptions extends Omit<BodyArrival, 'pause' | 'resume'> {
  max: number
  quota: Quota
}

interface StreamOptions extends BodyArrival {
  quota: Quota
  fileQuota: Quota
  overflowFolder: string
}

export type CollectedBody = ReturnType<typeof collectBody>
export type StreamedBody = ReturnType<typeof streamBody>

/** The bodies of one server. `overflowFolder`: for bytes that exceed memory. */
export function createBodies(overflowFolder: string) {
  const small = createQuota(smallBodies.quota)
  const quotas = { open: createQuota(bodyLimits.open.quota), withKey: createQuota(bodyLimits.withKey.quota) }
  const streamed = { quota: createQuota(streamedQuota), fileQuota: createQuota(fileQuota), overflowFolder }
  return {
    collect(kind: BodyKind, arrival: Omit<CollectOptions, 'max' | 'quota'>) {
      const { contentLength } = arrival
      const isSmall = contentLength !== null && contentLength <= smallBodies.max
      return collectBody({ ...arrival, max: bodyLimits[kind].max, quota: isSmall ? small : quotas[kind] })
    },
    stream: (arrival: BodyArrival) => streamBody({ ...arrival, ...streamed }),
  }
}

/** Collects at once, because data without a listener is lost. `take` returns the result. */
export function collectBody(options: CollectOptions) {
  const { contentLength, max, quota, network, signal } = options
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  promise.catch(() => {})
  let buffer = Buffer.alloc(0)
  let length = 0
  let isOpen = true
  let isWhole = false

  function drop(): void {
    isOpen = false
    quota.release(network, buffer.length)
    buffer = Buffer.alloc(0)
  }

  function refuse(reason: unknown): void {
    drop()
    reject(reason)
  }

  /** Reserves memory. Reserved bytes count against the quota before they are received. */
  function grow(size: number) {
    if (size <= buffer.length) return
    const capacity = Math.min(contentLength ?? max, Math.max(size, 2 * buffer.length, minBuffer))
    const limit = quota.take(network, capacity - buffer.length)
    if (limit !== null) return refuse(refuseFull(limit))
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }

  const tooLarge = () => refuse(new Refusal('too_large', `The body must not be larger than ${max} bytes.`))
  signal.addEventListener('abort', () => refuse(signal.reason))
  if (contentLength !== null && contentLength > max) tooLarge()
  options.onData((chunk, isLast) => {
    isWhole = isLast
    if (!isOpen) return
    if (length + chunk.byteLength > max) return tooLarge()
    grow(length + chunk.byteLength)
    if (!isOpen) return
    buffer.set(new Uint8Array(chunk), length)
    length += chunk.byteLength
    if (isLast) resolve(buffer.subarray(0, length))
  })

  return {
    /** Returns the whole body, which the caller then owns. Rejects with Refusal if it is too large, or if the client is gone. */
    async take(): Promise<Uint8Array> {
      const bytes = await promise
      drop()
      return bytes
    },
    /** Frees the received bytes, and ignores further ones. */
    drop,
    /** Whether so many bytes may follow that the connection should be closed. */
    isEndless: () => !isWhole && (contentLength === null || contentLength > maxIgnored),
  }
}

/** Streams a body. Pauses a client that is faster than the reader. */
export function streamBody(options: StreamOptions) {
  const { contentLength, quota, fileQuota, network, signal } = options
  let waiting: Uint8Array[] = []
  let size = 0
  let received = 0
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
    quota.release(network, size)
    waiting = []
    size = 0
    closeOverflow()
    hold(false)
    wake()
  }

  /** Frees the space on the disk. */
  function closeOverflow(): void {
    overflow?.close()
    fileQuota.release(network, overflowed)
    overflowed = 0
  }

  /**
   * Resuming restarts the timeout of uWebSockets.js, and after the last data nothing stops it. So a body that is complete while
   * paused stays paused until `end`: reading it may take longer than the timeout.
   */
  function balance(): void {
    if (!isWhole) hold(size >= highWater || overflow?.isEmpty() === false)
  }

  /** Stores the bytes for the reader and returns null, or returns which limit is reached. */
  function keep(bytes: Uint8Array): 'network' | 'process' | null {
    if (size + bytes.length <= maxInMemory && overflow?.isEmpty() !== false) {
      const limit = quota.take(network, bytes.length)
      if (limit !== null) return limit
      waiting.push(bytes.slice())
      size += bytes.length
      return null
    }
    const limit = fileQuota.take(network, bytes.length)
    if (limit !== null) return limit
    overflowed += bytes.length
    try {
      overflow ??= openOverflow(options.overflowFolder)
      overflow.write(bytes)
      return null
    } catch {
      return 'process'
    }
  }

  signal.addEventListener('abort', () => end(signal.reason))
  options.onData((chunk, isLast) => {
    isWhole = isLast
    received += chunk.byteLength
    if (ended === null && chunk.byteLength > 0) {
      const limit = keep(new Uint8Array(chunk))
      if (limit !== null) return end(refuseFull(limit))
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
        quota.release(network, piece.byteLength)
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
    /** For one reader. Rejects if the client is gone. */
    pieces,
    /** `drop` and `isEndless` are the same as for a collected body. */
    drop: () => end(new Refusal('invalid', 'The body is read no further.')),
    isEndless: () => !isWhole && (contentLength === null || contentLength - received > maxIgnored),
  }
}

const readAt = promisify(read)

/**
 * Opens an unlinked file, which disappears with the process. Writes are synchronous, because a client on the same machine sends
 * without a pause. It is in the data folder, because /tmp is memory on many machines. Throws if it cannot be created.
 */
function openOverflow(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `overflow-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let start = 0
  let end = 0
  let isOpen = true
  let reading: Promise<unknown> = Promise.resolve()
  return {
    isEmpty: () => start === end,
    /** Throws if the disk is full. */
    write(bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, end + at)
      end += bytes.length
    },
    /** Returns the next bytes. Only call it while not empty, and one call at a time. */
    async read(): Promise<Uint8Array> {
      const buffer = Buffer.allocUnsafe(Math.min(filePiece, end - start))
      const work = readAt(file, buffer, 0, buffer.length, start)
      reading = work.catch(() => {})
      const { bytesRead } = await work
      start += bytesRead
      return buffer.subarray(0, bytesRead)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      // A pending read keeps the file open until it ends.
      reading.then(() => closeSync(file))
    },
  }
}
