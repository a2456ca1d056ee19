// The blocked networks that the core knows, polled, so that an upgrade can be refused without a call.
import { LRUCache } from 'lru-cache'
import type { AddressStanding } from '../../gen/lectern/v1/limit_pb.js'

/** Maximum networks in memory. The oldest block is evicted first. */
const maxKnown = 10_000
const refreshIntervalMs = 1_000
/** Applies until the core has answered once. */
const firstRefreshIntervalMs = 100

/** A block lasts an hour: with this much time left, it is at most ten minutes old. */
const newBlockSeconds = 3_000
/** After this time, the whole list is requested again. */
const maxAgeMs = 5 * 60_000

interface BlockedNetworksOptions {
  /** Returns networks that stay blocked for at least `minSeconds`, or null if the core is unavailable. */
  list(minSeconds: number): Promise<AddressStanding[] | null>
  /** Called for each newly blocked network. */
  whenBlocked(network: string): void
  now(): number
}

export function createBlockedNetworks({ list, whenBlocked, now }: BlockedNetworksOptions) {
  const until = new LRUCache<string, number>({ max: maxKnown })
  let listedAt: number | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function block({ network, blockedSeconds }: AddressStanding): void {
    const isKnown = secondsLeft(network) > 0
    until.set(network, now() + blockedSeconds * 1_000)
    if (!isKnown && blockedSeconds > 0) whenBlocked(network)
  }

  /** 0 if the network is not known to be blocked. */
  function secondsLeft(network: string): number {
    return Math.max(0, Math.ceil(((until.peek(network) ?? 0) - now()) / 1_000))
  }

  /** Requests the list. Resolves when it is here, or the core is unavailable. Never rejects. */
  async function refresh(): Promise<void> {
    const isRecent = listedAt !== null && now() - listedAt < maxAgeMs
    const blocked = await list(isRecent ? newBlockSeconds : 0)
    if (blocked === null) return
    listedAt = now()
    // The list has the newest first. They must be evicted last.
    for (const standing of blocked.toReversed()) block(standing)
  }

  /** Polls until closed. */
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
