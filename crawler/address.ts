// The network addresses that the crawler may reach: public ones, and those in LECTERN_CRAWL_ALLOW.
import ipaddr from 'ipaddr.js'

/** The operator's exceptions. */
export type AllowList = ReturnType<typeof readAllowList>

type Bits = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Azure's platform services. */
const azure = ipaddr.parseCIDR('168.63.129.16/32')
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** IPv6 blocks that embed an IPv4 address, and the byte at which it starts. Teredo inverts its bits. */
const carriers: { block: Bits; at: number; inverted?: true }[] = [
  { block: ipaddr.parseCIDR('::ffff:0:0/96'), at: 12 },
  { block: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: 12 },
  { block: ipaddr.parseCIDR('::/96'), at: 12 },
  { block: ipaddr.parseCIDR('64:ff9b::/96'), at: 12 },
  { block: ipaddr.parseCIDR('2002::/16'), at: 2 },
  { block: ipaddr.parseCIDR('2001::/32'), at: 12, inverted: true },
]

/**
 * Whether an address is globally routable unicast. Checks an IPv4 address that is embedded in IPv6 as itself:
 * `::ffff:10.0.0.1` is 10.0.0.1, `2002:7f00:1::` is 127.0.0.1. Refuses the whole local NAT64 block 64:ff9b:1::/48, because
 * each network chooses the position of the IPv4 address in it. Returns false for an invalid address.
 */
export function isPublicAddress(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.parse(ip)
  // All other ranges of ipaddr.js are those of IANA's special-purpose registries.
  const isUnicast = address.range() === 'unicast'
  if (address.kind() === 'ipv4') return isUnicast && !isIn([azure], address)
  const carrier = carriers.find(({ block }) => isIn([block], address))
  if (carrier) {
    const bytes = address.toByteArray().slice(carrier.at, carrier.at + 4)
    const carried = carrier.inverted ? bytes.map((byte) => byte ^ 0xff) : bytes
    return isPublicAddress(carried.join('.'))
  }
  return isUnicast && isIn([globalUnicast], address)
}

const isIn = (blocks: Bits[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  ipaddr.subnetMatch(address, { inside: blocks }, 'outside') === 'inside'

const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?)(?::([0-9]{1,5}))?$/i

/**
 * Reads `docs.corp, wiki.corp:8443, 10.1.0.0/16`: hosts, with a port or for every port, and CIDR blocks. Empty text allows
 * nothing. Throws an Error that names the invalid part.
 */
export function readAllowList(text: string) {
  const hosts = new Set<string>()
  const blocks: Bits[] = []
  for (const part of text.split(',').map((piece) => piece.trim().toLowerCase())) {
    if (part === '') continue
    if (part.includes('/')) {
      if (!ipaddr.isValidCIDR(part)) throw new Error(`"${part}" is no CIDR block like 10.1.0.0/16`)
      blocks.push(ipaddr.parseCIDR(part))
    } else if (ipaddr.isValid(part)) {
      hosts.add(ipaddr.parse(part).toString())
    } else {
      const [, host, port] = hostForm.exec(part) ?? []
      if (!host || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
        throw new Error(`"${part}" is neither a host name nor a CIDR block`)
      }
      const name = host.replace(/^\[|\]$/g, '')
      hosts.add(`${ipaddr.isValid(name) ? ipaddr.parse(name).toString() : name}${port ? ` ${port}` : ''}`)
    }
  }
  return {
    /** Whether any address may be dialed for the host. `hostname`: in lower case, IPv6 without brackets. */
    hasHost: (hostname: string, port: number) => hosts.has(hostname) || hosts.has(`${hostname} ${port}`),
    /** Whether the list has this host with exactly this port. */
    hasPort: (hostname: string, port: number) => hosts.has(`${hostname} ${port}`),
    hasAddress: (address: string) => ipaddr.isValid(address) && isIn(blocks, ipaddr.process(address)),
  }
}
