// What the crawler never reaches, public or not: the machine's own addresses, the services that Lectern stands on, and ports
// that are no web server's.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from './address.ts'

/** Where a service listens. A host of `0.0.0.0` or `::` stands for all addresses of the machine. */
export interface ServiceAddress {
  host: string
  port: number
}

/** The ports that the fetch standard calls bad: protocols that a request over HTTP could be mistaken for. */
const badPorts = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139
   143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049
   3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`
    .split(/\s+/)
    .map(Number),
)

export function isBadPort(port: number): boolean {
  return badPorts.has(port)
}

/** Whether the address is one of this machine. */
export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() === 'loopback' || parsed.range() === 'unspecified') return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((each) => same(each.address, address))
}

/**
 * Whether connecting to `hostname` at one of `addresses` reaches one of the services. A service at a public address is known
 * by its name alone: many sites may share the address.
 */
export async function isService(
  services: ServiceAddress[],
  target: { hostname: string; port: number; addresses: string[] },
  lookup: (hostname: string) => Promise<string[]>,
): Promise<boolean> {
  for (const { host, port } of services) {
    if (port !== target.port) continue
    if (host.toLowerCase() === target.hostname) return true
    const its = isIP(host) ? [host] : await lookup(host).catch(() => [])
    const isHere = its.some(isOwnAddress)
    const reaches = (address: string) =>
      (isHere && isOwnAddress(address)) || its.some((each) => !isPublicAddress(each) && same(each, address))
    if (target.addresses.some(reaches)) return true
  }
  return false
}

/** `::ffff:10.0.0.1` is 10.0.0.1; a zone (`fe80::1%eth0`) is left out. */
function same(one: string, other: string): boolean {
  const plain = (address: string) => ipaddr.process(address.replace(/%.*$/, '')).toString()
  return plain(one) === plain(other)
}
