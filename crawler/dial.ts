// The one way in which the crawler opens a connection: resolve, check every address, dial exactly what was checked.
import { isIP, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { type AllowList, isPublicAddress } from './address.ts'
import { type Lookup, SilentNameServer } from './names.ts'
import { isBadPort, isOwnAddress, isService, type ServiceAddress } from './own-services.ts'

/** The name resolves to an address that is neither public nor allowed. The message is for people and names the setting that allows it. */
export class BlockedAddress extends Error {}

const blocked = (why: string, entry: string) =>
  new BlockedAddress(`${why}. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=${entry}.`)
/** The name could not be resolved. */
export class UnknownHost extends Error {}

/** Addresses of a name that are tried before the connection counts as failed. */
const maxAddresses = 3

/**
 * A connector for undici. A name with one blocked address is refused whole, so that no answer of a name server can slip
 * a private address in between; the name is not resolved again for the connection. `timeoutMs` is for each address.
 */
export function createDial(options: {
  allow: AllowList
  timeoutMs: number
  lookup: Lookup
  /** For the names of services; left out: as `lookup`. */
  lookupService?: Lookup
  /** What is refused even where its host or network is allowed, unless it is with its port. */
  services?: ServiceAddress[]
  /** Certificates to trust beside the system's, PEM. */
  ca?: string
}): buildConnector.connector {
  const { allow, timeoutMs, lookup, lookupService = lookup, services = [], ca } = options
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, ...(ca ? { ca } : {}) })

  async function addressesOf(target: buildConnector.Options): Promise<string[]> {
    const hostname = target.hostname.replace(/^\[|\]$/g, '').toLowerCase()
    const addresses = isIP(hostname) ? [hostname] : await resolve(hostname)
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    if (allow.hasPort(hostname, port)) return addresses
    const withPort = `${target.hostname}:${port}`
    if (isBadPort(port)) throw blocked(`Port ${port} is reserved for another protocol`, withPort)
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
    if (addresses.length === 0) throw new UnknownHost()
    return addresses
  }

  function open(target: buildConnector.Options, hostname: string): Promise<Socket> {
    return new Promise((done, fail) => {
      connect({ ...target, hostname }, (error, socket) => (error ? fail(error) : done(socket as Socket)))
    })
  }

  async function dial(target: buildConnector.Options): Promise<Socket> {
    let failure: unknown
    for (const address of (await addressesOf(target)).slice(0, maxAddresses)) {
      try {
        return await open(target, address)
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
