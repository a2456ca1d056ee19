// Networks that are blocked, so that an upgrade can be refused at once. The core knows of all; its list is asked for once a
// second, so that what another gateway has blocked is blocked here, too, and after a restart what was blocked before.
import { LRUCache } from 'lru-cache'
import type { AddressStanding } from '../../gen/lectern/v1/limit_pb.js'

/** Networks that are remembered; the oldest block goes first. */
const maxKnown = 10_000
const refreshIntervalMs = 1_000
/** Until the core has answered once. */
const firstRefreshIntervalMs = 100

/** A block lasts an hour, so one that has that long to go was made within the last ten minutes. */
const newBlockSeconds = 3_000
/** A list older than this is asked for as a whole. */
const maxAgeMs = 5 * 60_000

interface BlockedNetworks {
  block(standing: AddressStanding): void
  /** 0: not blocked, as far as is known here. */
  secondsLeft(network: string): number
  /** Asks for the list; resolves when it is known, or the core could not be asked. Never rejects. */
  refresh(): Promise<void>
  /** Refreshes again and again until it is closed. */
  start(): void
  close(): void
}

interface BlockedNetworksOptions {
  /** The networks that are blocked for at least so many seconds still; null: the core cannot be asked. */
  list(minSeconds: number): Promise<AddressStanding[] | null>
  /** Told of networks that were not known to be blocked. */
  whenBlocked(network: string): void
  /** Milliseconds. */
  now(): number
}

export function createBlockedNetworks({ list, whenBlocked, now }: BlockedNetworksOptions): BlockedNetworks {
  const until = new LRUCache<string, number>({ max: maxKnown })
  let listedAt: number | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function block({ network, blockedSeconds }: AddressStanding): void {
    const isKnown = secondsLeft(network) > 0
    until.set(network, now() + blockedSeconds * 1_000)
    if (!isKnown && blockedSeconds > 0) whenBlocked(network)
  }

  function secondsLeft(network: string): number {
    return Math.max(0, Math.ceil(((until.peek(network) ?? 0) - now()) / 1_000))
  }

  async function refresh(): Promise<void> {
    const isRecent = listedAt !== null && now() - listedAt < maxAgeMs
    const blocked = await list(isRecent ? newBlockSeconds : 0)
    if (blocked === null) return
    listedAt = now()
    // The latest come first in the list, and are to be forgotten last.
    for (const standing of blocked.toReversed()) block(standing)
  }

  function start(): void {
    if (isClosed) return
    timer = setTimeout(
      () => refresh().then(start),
      listedAt === null ? firstRefreshIntervalMs : refreshIntervalMs,
    ).unref()
  }

  return {
    block,
    secondsLeft,
    refresh,
    start,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
