// What counts as one caller on the network, as a keyed hash: stored rows hold no raw address.
import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'

/** Creates the hash of an address's network; `secret` is LECTERN_SECRET in base64. */
export function createNetworkKey(secret: string): (address: string) => string {
  const key = createHmac('sha256', Buffer.from(secret, 'base64')).update('network').digest()
  return (address) => createHmac('sha256', key).update(toNetwork(address)).digest('base64url')
}

/**
 * An IPv4 address is itself, an IPv6 address its /64; text that is no address stays as it is.
 *
 *   203.0.113.7          →  203.0.113.7
 *   ::ffff:203.0.113.7   →  203.0.113.7
 *   2001:db8:1:2:3::4    →  2001:db8:1:2
 */
export function toNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : parsed.toString()
}
