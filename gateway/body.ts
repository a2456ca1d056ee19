// The body of a request while it comes: `collect` answers it whole, `stream` piece by piece. Until the bytes are read, they
// count against what their caller's network may hold.
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Refusal, rateLimited } from './errors.ts'

const kibibyte = 1024
const mebibyte = 1024 ** 2

/**
 * The largest body, in bytes, and how many bytes of unfinished bodies all callers and one network may hold: where no key
 * is needed, and where only a caller with a good key is listened to.
 */
export const bodyLimits = {
  open: { max: 64 * kibibyte, quota: { max: 16 * mebibyte, maxByNetwork: mebibyte } },
  withKey: { max: mebibyte, quota: { max: 32 * mebibyte, maxByNetwork: 8 * mebibyte } },
}
export type BodyKind = keyof typeof bodyLimits

/** A body that says it is no larger has a quota of its own, which others cannot fill: small requests always get through. */
const smallBodies = { max: 16 * kibibyte, quota: { max: Number.POSITIVE_INFINITY, maxByNetwork: mebibyte } }
/** What streamed bodies may hold in memory: only what their reader has not taken yet. */
const streamedQuota = { max: 64 * mebibyte, maxByNetwork: 32 * mebibyte }
/** In files, where a client on the same machine is faster than its reader: one body of the largest size a network. */
const fileQuota = { max: 512 * mebibyte, maxByNetwork: 272 * mebibyte }

/** Bytes: the first allocation for a collected body. */
const minBuffer = kibibyte
/** Bytes of a streamed body that wait for the reader before the client is held back. */
const highWater = 256 * kibibyte
/**
 * Bytes of one streamed body in memory; what comes beyond them goes into a file. uWebSockets.js reads on after it was
 * paused, for as long as a client on the same machine sends as fast as it reads.
 */
const maxInMemory = 8 * mebibyte
/** What is left of a refused body is read and forgotten up to this size, in bytes; a larger one is cut off. */
const maxIgnored = 8 * mebibyte
const filePiece = 512 * kibibyte

type Quota = ReturnType<typeof createQuota>

/**
 * Bytes that callers may hold at a time: so many all together, and so many each network, so that one caller leaves room for
 * the others.
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
    /** Gives all of the amount or nothing. Returns which limit is reached, or null where the amount is given. */
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
  /** What the client says that it will send; null: it does not say. */
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
  /** Folder of what does not go into memory. */
  overflowFolder: string
}

export type CollectedBody = ReturnType<typeof collectBody>
export type StreamedBody = ReturnType<typeof streamBody>

/** The bodies of one server. `overflowFolder`: of what does not go into memory. */
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

/** Begins at once, because data that nobody listens to is lost; the outcome waits until it is asked for. */
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

  /** Reserves memory for the bytes; reserved bytes count, received or not. */
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
    /** The whole body; the bytes are the caller's then. Throws Refusal where it is too large; rejects when the client is gone. */
    async take(): Promise<Uint8Array> {
      const bytes = await promise
      drop()
      return bytes
    },
    /** Frees the received bytes; further ones are ignored. */
    drop,
    /** Whether so much may still come that the connection is better closed than read on. */
    isEndless: () => !isWhole && (contentLength === null || contentLength > maxIgnored),
  }
}

/** The client is held back while its reader is slower. */
export function streamBody(options: StreamOptions) {
  const { contentLength, quota, fileQuota, network, signal } = options
  let waiting: Uint8Array[] = []
  let size = 0
  let received = 0
  let overflow: ReturnType<typeof openOverflow> | null = null
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
    quota.release(network, size)
    waiting = []
    size = 0
    closeOverflow()
    hold(false)
    wake()
  }

  /** Its room on the disk is free again. */
  function closeOverflow(): void {
    overflow?.close()
    fileQuota.release(network, overflowed)
    overflowed = 0
  }

  /**
   * Resuming restarts the timeout of uWebSockets.js. After the last data nothing can stop it again, so a body that is complete while
   * it is paused stays paused until `end`: reading it may take longer than the timeout.
   */
  function balance(): void {
    if (!isWhole) hold(size >= highWater || overflow?.isEmpty() === false)
  }

  /** Keeps the bytes for the reader. Returns which limit is reached, or null where they are kept. */
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
    /** For one reader; rejects when the client is gone. */
    pieces,
    /** As of a collected body, and so is `isEndless`. */
    drop: () => end(new Refusal('invalid', 'The body is read no further.')),
    isEndless: () => !isWhole && (contentLength === null || contentLength - received > maxIgnored),
  }
}

const readAt = promisify(read)

/**
 * A file without a name, gone with its process. It is written at once, because a client on the same machine sends without
 * a pause. It lies in the data folder, because /tmp is memory on many machines. Throws where no file can be made.
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
    /** Throws where the disk has no room. */
    write(bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, end + at)
      end += bytes.length
    },
    /** The next bytes that were written; not while it is empty, and one call at a time. */
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
      // A read under way keeps the file open until it ends.
      reading.then(() => closeSync(file))
    },
  }
}
