// What callers may hold of this process at a time, such as sockets or bytes of bodies that have not come to their end:
// so much all together, and so much each network, so that one caller leaves room for the others.

import { Refusal } from './refusal.ts'

export interface Shares {
  /** Gives so much to the network, or nothing at all; answers who has no room left, or null where it is given. */
  take(network: string, amount: number): 'network' | 'process' | null
  giveBack(network: string, amount: number): void
  /** What is taken by all. */
  used(): number
}

export function createShares({ max, maxByNetwork }: { max: number; maxByNetwork: number }): Shares {
  const byNetwork = new Map<string, number>()
  let used = 0

  function add(network: string, amount: number): void {
    const sum = (byNetwork.get(network) ?? 0) + amount
    if (sum > 0) byNetwork.set(network, sum)
    else byNetwork.delete(network)
    used += amount
  }

  return {
    take(network, amount) {
      if ((byNetwork.get(network) ?? 0) + amount > maxByNetwork) return 'network'
      if (used + amount > max) return 'process'
      add(network, amount)
      return null
    },
    giveBack: (network, amount) => add(network, -amount),
    used: () => used,
  }
}

/** What those are told for whom there is no room. */
export function refuseFull(full: 'network' | 'process'): Refusal {
  return full === 'network'
    ? new Refusal(
        'rate_limited',
        'Too many requests are being sent from this address.',
        {},
        { 'retry-after': '10' },
      )
    : new Refusal('unavailable', 'Too many requests are being sent.')
}
