// The caller of a request and its network address, as far as trusted proxies report it.
import ipaddr from 'ipaddr.js'
import type { CallContext, Origin } from './core-client.ts'
import type { HttpRequest } from './http.ts'

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number]

export type CallerReader = ReturnType<typeof createCallerReader>

interface CallerReaderOptions {
  /** LECTERN_PUBLIC_URL. Null: use the request's host. */
  publicUrl: string | null
  host: string
  /** CIDR blocks or addresses of trusted proxies. */
  trustProxy: readonly string[]
  /** The keyed hash of an address's network. */
  networkKey(address: string): string
  /** Called once, if an untrusted proxy seems to forward requests. */
  warn(sentence: string): void
}

const hostForm = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/** Throws if a CIDR block is invalid. */
export function createCallerReader(options: CallerReaderOptions) {
  const { publicUrl, host, trustProxy, networkKey, warn } = options
  const blocks = trustProxy.map(readBlock)
  let isWarned = false

  function isTrusted(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return blocks.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
  }

  /** Anyone can send the header. From a private address it probably comes from a proxy. */
  function warnOnce(peer: string): void {
    if (isWarned || isTrusted(peer) || !isInner(peer)) return
    isWarned = true
    warn(
      `X-Forwarded-For comes from ${peer}, which is not in LECTERN_TRUST_PROXY: all readers behind it count as one address.`,
    )
  }

  /**
   * The caller's network address: the peer's, or, if the peer is a trusted proxy, the rightmost untrusted address in
   * X-Forwarded-For. A trusted machine that sends its own request may name its client in X-Client-IP.
   *
   *   peer 10.0.0.1 (trusted), X-Forwarded-For: 6.6.6.6, 9.9.9.9, 10.0.0.2 (trusted)  →  9.9.9.9
   */
  function address({ peer, headers }: HttpRequest): string {
    let address = normal(peer)
    const forwarded = headers['x-forwarded-for']
    const hops = forwarded === '' ? [] : forwarded.split(',').map(toHop)
    if (forwarded !== '') warnOnce(address)
    while (isTrusted(address) && ipaddr.isValid(hops.at(-1) ?? '')) address = normal(hops.pop()!)
    // A proxy forwards a stranger's X-Client-IP, but lists the stranger in X-Forwarded-For. If that is unreadable, ignore X-Client-IP.
    const isItself = isTrusted(address) && hops.length === 0
    return isItself ? (clientAddress({ headers }) ?? address) : address
  }

  /** The address in X-Client-IP in its shortest form, or null. It is only used with a valid key. */
  function clientAddress({ headers }: Pick<HttpRequest, 'headers'>): string | null {
    const text = headers['x-client-ip']?.trim() ?? ''
    return ipaddr.isValid(text) ? normal(text) : null
  }

  /** Base of absolute addresses in responses: `https://docs.example.org`. */
  function base({ peer, headers }: HttpRequest): string {
    if (publicUrl !== null) return publicUrl
    const trusted = isTrusted(normal(peer))
    const forwardedHost = trusted ? readLast(headers['x-forwarded-host']) : ''
    const scheme = trusted && readLast(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'
    const publicHost = [forwardedHost, headers.host].find((candidate) => hostForm.test(candidate))
    return `${scheme}://${publicHost ?? 'localhost'}`
  }

  /**
   * Whether the page is the gateway's own. Without a public URL, the host must match; the scheme may differ, because a
   * proxy may terminate TLS. A public DNS name never counts: anyone can point one here.
   */
  function isOwn(origin: string, request: HttpRequest): boolean {
    if (publicUrl !== null) return origin === URL.parse(publicUrl)?.origin
    const page = URL.parse(origin)
    if (!page || !(page.hostname === host || isLocal(page.hostname))) return false
    return page.host === URL.parse(base(request).replace(/^https?:/, page.protocol))?.host
  }

  /**
   * DNS rebinding: whether a page may have pointed its DNS name to this machine, to call a gateway that serves only this
   * machine. If the gateway listens only on loopback and has no public URL, `Host` must be a local name.
   */
  function hasForeignHost({ headers }: HttpRequest): boolean {
    if (publicUrl !== null || !isLoopback(host)) return false
    const name = URL.parse(`http://${headers.host}`)?.hostname ?? ''
    return name !== host && !isLocal(name)
  }

  /** The origin of the calling page. Null without one, and for the gateway's own pages. */
  function pageOrigin(request: HttpRequest): string | null {
    const { origin } = request.headers
    return origin === '' || isOwn(origin, request) ? null : origin
  }

  return {
    address,
    base,
    hasForeignHost,
    /** Identifies a caller for limits: a keyed hash of the address, or of an IPv6 address's /64. */
    network: (request: HttpRequest) => networkKey(address(request)),
    /** For calls to the core. `connection`: identifies the socket. */
    context(surface: Origin['surface'], request: HttpRequest, connection: string | null = null): CallContext {
      const { authorization, 'x-lectern-team': team } = request.headers
      const origin = {
        ...{ surface, connection, address: address(request) },
        ...{ clientAddress: clientAddress(request), origin: pageOrigin(request) },
      }
      return { origin, authorization, team, signal: request.signal }
    },
  }
}

/** Shortest form. IPv4-mapped IPv6 addresses become IPv4. */
function normal(text: string): string {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : text
}

/** Whether the host needs no DNS: localhost, or an IP address. */
function isLocal(hostname: string): boolean {
  return /^(.+\.)?localhost$/.test(hostname) || ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
}

/** Whether the address is loopback or private. */
function isInner(text: string): boolean {
  return (
    ipaddr.isValid(text) &&
    ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.parse(text).range())
  )
}

/** `9.9.9.9:51234`, `[2001:db8::1]:443` → the address alone: some proxies append the port. */
function toHop(text: string): string {
  const hop = text.trim()
  return /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? hop
}

function readLast(header: string): string {
  return header.split(',').at(-1)!.trim()
}

function readBlock(text: string): Block {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
