// Addresses that the core has said to be blocked, so that an upgrade can be judged at once (decisions.md section 6). The core
// knows of all; this is what one gateway has met.

/** So many addresses and networks are remembered; those that were met first go first. */
const mostRemembered = 10_000

export interface BlockedAddresses {
  /** The network that the core counts the address as. */
  met(address: string, network: string): void
  block(network: string, seconds: number): void
  /** 0: not blocked, as far as is known here. */
  secondsLeft(address: string): number
}

/** `now`: milliseconds. */
export function createBlockedAddresses(now: () => number): BlockedAddresses {
  const networkOf = new Map<string, string>()
  const blockedUntil = new Map<string, number>()
  return {
    met: (address, network) => remember(networkOf, address, network),
    block: (network, seconds) => remember(blockedUntil, network, now() + seconds * 1_000),
    secondsLeft(address) {
      const until = blockedUntil.get(networkOf.get(address) ?? '') ?? 0
      return Math.max(0, Math.ceil((until - now()) / 1_000))
    },
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > mostRemembered) map.delete(map.keys().next().value!)
}
