// Who calls and by which address, as far as trusted proxies may say so.
import ipaddr from 'ipaddr.js'
import type { HttpRequest } from './http.ts'

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number]

export type CallerReader = ReturnType<typeof createCallerReader>

interface CallerReaderOptions {
  /** LECTERN_PUBLIC_URL, or null: the request's own host. */
  publicUrl: string | null
  host: string
  /** CIDR blocks, or single addresses, of proxies that are believed. */
  trustProxy: readonly string[]
  /** The keyed hash of an address's network. */
  networkKey(address: string): string
  /** Told once, when a proxy that is not trusted seems to stand before the gateway. */
  warn(sentence: string): void
}

const hostForm = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/** Throws where a block is none. */
export function createCallerReader(options: CallerReaderOptions) {
  const { publicUrl, host, trustProxy, networkKey, warn } = options
  const blocks = trustProxy.map(readBlock)
  let isWarned = false

  function isTrusted(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return blocks.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
  }

  /** A stranger may send the header, too; from an address that strangers do not have it is a proxy's. */
  function warnOnce(peer: string): void {
    if (isWarned || isTrusted(peer) || !isInner(peer)) return
    isWarned = true
    warn(
      `X-Forwarded-For comes from ${peer}, which is not in LECTERN_TRUST_PROXY: all readers behind it count as one address.`,
    )
  }

  /**
   * The caller's network address: the peer's, or, where the peer is a trusted proxy, the rightmost address of
   * X-Forwarded-For that is not. A trusted machine that asks for itself may name in X-Client-IP whom it asks for.
   *
   *   peer 10.0.0.1 (trusted), X-Forwarded-For: 6.6.6.6, 9.9.9.9, 10.0.0.2 (trusted)  →  9.9.9.9
   */
  function address({ peer, headers }: HttpRequest): string {
    let address = normal(peer)
    const forwarded = headers['x-forwarded-for']
    const hops = forwarded === '' ? [] : forwarded.split(',').map(toHop)
    if (forwarded !== '') warnOnce(address)
    while (isTrusted(address) && ipaddr.isValid(hops.at(-1) ?? '')) address = normal(hops.pop()!)
    // A proxy passes on what strangers send, but for them it names their address as well: where that cannot be read, nobody asks for himself.
    const isItself = isTrusted(address) && hops.length === 0
    return isItself ? (clientAddress({ headers }) ?? address) : address
  }

  /** The address that X-Client-IP names, in its shortest form; null without one. It counts where the key is good. */
  function clientAddress({ headers }: Pick<HttpRequest, 'headers'>): string | null {
    const text = headers['x-client-ip']?.trim() ?? ''
    return ipaddr.isValid(text) ? normal(text) : null
  }

  /** `https://docs.example.org`: what absolute addresses in answers begin with. */
  function base({ peer, headers }: HttpRequest): string {
    if (publicUrl !== null) return publicUrl
    const trusted = isTrusted(normal(peer))
    const forwardedHost = trusted ? readLast(headers['x-forwarded-host']) : ''
    const scheme = trusted && readLast(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'
    const asked = [forwardedHost, headers.host].find((candidate) => hostForm.test(candidate))
    return `${scheme}://${asked ?? 'localhost'}`
  }

  /**
   * Whether the page is the gateway's own. Without a public URL the request's host decides, whatever the scheme, for a
   * proxy may speak TLS; but a name of the public DNS may have been pointed here by anyone, so it is nobody's own.
   */
  function isOwn(origin: string, request: HttpRequest): boolean {
    if (publicUrl !== null) return origin === URL.parse(publicUrl)?.origin
    const page = URL.parse(origin)
    if (!page || !(page.hostname === host || isLocal(page.hostname))) return false
    return page.host === URL.parse(base(request).replace(/^https?:/, page.protocol))?.host
  }

  return {
    address,
    clientAddress,
    base,
    /** What limits take for one caller: a keyed hash of the address, or of an IPv6 address's /64. */
    network: (request: HttpRequest) => networkKey(address(request)),
    /** The origin of the page that asks; null where there is none, and for the gateway's own pages. */
    origin(request: HttpRequest): string | null {
      const { origin } = request.headers
      return origin === '' || isOwn(origin, request) ? null : origin
    },
  }
}

/** Shortest form; an IPv4 address in IPv6 clothes as IPv4. */
function normal(text: string): string {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : text
}

/** A name that no DNS gives: of loopback, or an address itself. */
function isLocal(hostname: string): boolean {
  return /^(.+\.)?localhost$/.test(hostname) || ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))
}

/** Loopback, or of a private network. */
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
