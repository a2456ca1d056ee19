// Opens all connections of the crawler: resolves the name, checks every address, and dials exactly the checked addresses. Never
// reaches the machine's own addresses, the services that Lectern uses, or ports of other protocols.
import { isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { type AllowList, isPublicAddress } from './address.ts'
import { FetchFault } from './fetch-result.ts'
import { type Lookup, SilentNameServer } from './names.ts'

/** The name resolves to an address that is neither public nor allowed. */
const blocked = (why: string, entry: string) =>
  new FetchFault('blocked_address', `${why}. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=${entry}.`)

/** The address of a service. The hosts `0.0.0.0` and `::` mean every address of the machine. */
export interface ServiceAddress {
  host: string
  port: number
}

/** The bad ports of the Fetch standard: services there could misinterpret an HTTP request. */
const badPorts = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139
   143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049
   3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`
    .split(/\s+/)
    .map(Number),
)

/** Maximum addresses of a name to try. */
const maxAddresses = 3

/**
 * A connector for undici. Refuses a name if one of its addresses is blocked, so that a name server cannot mix in a private
 * address. Does not resolve the name again for the connection. `timeoutMs`: per address.
 */
export function createDial(options: {
  allow: AllowList
  timeoutMs: number
  lookup: Lookup
  /** Resolves names of services. Default: `lookup`. */
  lookupService?: Lookup
  /** Services that are refused even if their host or network is allowed, unless it is allowed with the port. */
  services?: ServiceAddress[]
  /** Trusted certificates in addition to the system's, as PEM. */
  ca?: string
}): buildConnector.connector {
  const { allow, timeoutMs, lookup, lookupService = lookup, services = [], ca } = options
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, ...(ca ? { ca } : {}) })
  const open = promisify(connect) as (target: buildConnector.Options) => Promise<Socket>

  async function resolveAddresses(target: buildConnector.Options): Promise<string[]> {
    const hostname = target.hostname.replace(/^\[|\]$/g, '').toLowerCase()
    const addresses = isIP(hostname) ? [hostname] : await resolve(hostname)
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    if (allow.hasPort(hostname, port)) return addresses
    const withPort = `${target.hostname}:${port}`
    if (badPorts.has(port)) throw blocked(`Port ${port} is reserved for another protocol`, withPort)
    if (await isService(services, { hostname, port, addresses }, lookupService))
      throw blocked(`Port ${port} of ${hostname} may not be crawled`, withPort)
    if (allow.hasHost(hostname, port)) return addresses
    const isAllowed = (address: string) =>
      allow.hasAddress(address) || (isPublicAddress(address) && !isOwnAddress(address))
    if (!addresses.every(isAllowed)) throw blocked(`${hostname} is not a public address`, hostname)
    return addresses
  }

  async function resolve(hostname: string): Promise<string[]> {
    const addresses = await lookup(hostname).catch((error) => {
      if (error instanceof SilentNameServer) throw error
      return []
    })
    if (addresses.length === 0) throw new FetchFault('dns')
    return addresses
  }

  async function dial(target: buildConnector.Options): Promise<Socket> {
    let failure: unknown
    for (const address of (await resolveAddresses(target)).slice(0, maxAddresses)) {
      try {
        return await open({ ...target, hostname: address })
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return (target, done) => {
    dial(target).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, null),
    )
  }
}

export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() === 'loopback' || parsed.range() === 'unspecified') return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((each) => same(each.address, address))
}

/**
 * Whether connecting to `hostname` at one of `addresses` reaches one of the services. A service at a public address is only
 * recognized by its name, because many sites may share the address.
 */
export async function isService(
  services: ServiceAddress[],
  target: { hostname: string; port: number; addresses: string[] },
  lookup: Lookup,
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

/** `::ffff:10.0.0.1` equals 10.0.0.1. Ignores zones (`fe80::1%eth0`). */
function same(one: string, other: string): boolean {
  const plain = (address: string) => ipaddr.process(address.replace(/%.*$/, '')).toString()
  return plain(one) === plain(other)
}
