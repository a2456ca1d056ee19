// Limits requests that the gateway answers itself, by network: a fixed window of one minute from the first request.
import { LRUCache } from 'lru-cache'
import { Refusal } from './refusal.ts'

const windowMs = 60_000
const maxRequests = 600
/** Networks counted at once; more evict the oldest. */
const maxNetworks = 10_000

/** Creates the function that counts a request of a network. It throws Refusal rate_limited for one that is too many. */
export function createRequestLimit(): (network: string) => void {
  const counts = new LRUCache<string, number>({ max: maxNetworks, ttl: windowMs, noUpdateTTL: true })

  return (network) => {
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    if (count <= maxRequests) return
    const seconds = Math.max(1, Math.ceil(counts.getRemainingTTL(network) / 1000))
    const sentence = `Too many requests came from this address. Try again in ${seconds} s.`
    throw new Refusal('rate_limited', sentence, {}, { 'retry-after': String(seconds) })
  }
}
