// Identifies a caller's network by a keyed hash, so that the store has no network addresses.
import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'

/** Creates the hash function. `secret`: LECTERN_SECRET in base64. */
export function createNetworkKey(secret: string): (address: string) => string {
  const key = createHmac('sha256', Buffer.from(secret, 'base64')).update('network').digest()
  return (address) => createHmac('sha256', key).update(toNetwork(address)).digest('base64url')
}

/**
 * Returns an IPv4 address unchanged, and the /64 network of an IPv6 address. Returns other text unchanged.
 *
 *   203.0.113.7          →  203.0.113.7
 *   ::ffff:203.0.113.7   →  203.0.113.7
 *   2001:db8:1:2:3::4    →  2001:db8:1:2
 */
export function toNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return network.join(':')
}
