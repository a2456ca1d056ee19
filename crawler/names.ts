// Resolves host names by c-ares, /etc/hosts and the search domains of /etc/resolv.conf. Node's own lookup cannot be cancelled,
// and uses threads that the whole process shares.
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { FetchFault } from './fetch-result.ts'
import { type Clock, createPoliteness } from './politeness.ts'

/** Returns addresses of a name in the order to try them. Rejects if there are none. */
export type Lookup = (hostname: string) => Promise<string[]>

/** No name server answered for the name, or for another name of its domain within the last minute. */
export class SilentNameServer extends FetchFault {
  constructor() {
    const others = 'Other names of its domain are not looked up for a minute.'
    super('dns', `The name server of the host did not answer. ${others}`)
  }
}

interface NamesOptions {
  /** Addresses of name servers, with a port if it is not 53. Default: those of the system. */
  servers?: string[] | undefined
  resolvConf?: string
  /** Timeout of all attempts for one name. */
  timeoutMs: number
  clock: Pick<Clock, 'now'>
}

const maxLookups = 4
const silenceMs = 60_000
/** Maximum silent domains, and maximum resolved names, in memory. */
const maxRemembered = 10_000
/** Timeout of the first attempt at one server. Later attempts wait longer. */
const tryTimeoutMs = 2_000
const tries = 3
const silentCodes = new Set(['ETIMEOUT', 'ECANCELLED', 'ESERVFAIL'])

export function createNames(options: NamesOptions) {
  const { servers, timeoutMs, clock, resolvConf = '/etc/resolv.conf' } = options
  const resolvers = new Set<Resolver>()
  let isClosed = false
  const remembered = { max: maxRemembered, ttl: silenceMs, ttlResolution: 0, perf: clock }
  const silent = new LRUCache<string, true>(remembered)
  const answered = new LRUCache<string, true>(remembered)
  const turns = createPoliteness(maxLookups)

  /** Alternates IPv4 and IPv6 addresses, so that both are tried early. */
  async function ask(name: string): Promise<string[]> {
    if (isClosed) throw new SilentNameServer()
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries })
    if (servers) resolver.setServers(servers)
    resolvers.add(resolver)
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      const [four, six] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const pairs = four!.flatMap((address, at) => [address, ...six!.slice(at, at + 1)])
      const addresses = [...pairs, ...six!.slice(four!.length)]
      const isSilent = answers.some(
        (answer) => answer.status === 'rejected' && silentCodes.has(answer.reason.code),
      )
      if (addresses.length === 0 && isSilent) throw new SilentNameServer()
      return addresses
    } finally {
      clearTimeout(timer)
      resolvers.delete(resolver)
    }
  }

  async function askUnlessSilent(project: string, name: string): Promise<string[]> {
    const key = `${project} ${readDomain(name)}`
    // One lost response must not prevent further connections to a host that is being crawled.
    if (silent.has(key) && !answered.has(`${project} ${name}`)) throw new SilentNameServer()
    const addresses = await ask(name).catch((error) => {
      if (error instanceof SilentNameServer) silent.set(key, true)
      throw error
    })
    if (addresses.length > 0) answered.set(`${project} ${name}`, true)
    return addresses
  }

  async function resolve(project: string, name: string): Promise<string[]> {
    const { domains, isPlainFirst } = toSearch(await readText(resolvConf))
    const inDomains = name.endsWith('.') ? [] : domains.map((domain) => `${name}.${domain}`)
    let silence: unknown = null
    for (const candidate of isPlainFirst || name.includes('.')
      ? [name, ...inDomains]
      : [...inDomains, name]) {
      try {
        const addresses = await askUnlessSilent(project, candidate)
        if (addresses.length > 0) return addresses
      } catch (error) {
        // If a search domain is silent, the name itself may still be resolved.
        if (candidate === name) throw error
        silence = error
      }
    }
    if (silence !== null) throw silence
    return []
  }

  return {
    /**
     * The lookup for one project, with at most four concurrent lookups. Returns an empty list for an unknown name. Rejects with
     * SilentNameServer if no name server answers. After that, names of the same domain reject for a minute, except names that
     * were resolved within the last minute.
     */
    lookupFor:
      (project: string): Lookup =>
      async (hostname) => {
        const name = hostname.toLowerCase()
        const listed = findHost(await readText('/etc/hosts'), name.replace(/\.$/, ''))
        if (listed.length > 0) return listed
        if (/(?:^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1']
        await turns.enter(project)
        try {
          return await resolve(project, name)
        } finally {
          turns.leave(project)
        }
      },
    /** Cancels all lookups, including pending ones. */
    close() {
      isClosed = true
      for (const resolver of resolvers) resolver.cancel()
    },
  }
}

/** The last two labels, or three below a suffix such as co.uk. A wrong guess delays only its project, for a minute. */
function readDomain(name: string): string {
  const labels = name.replace(/\.$/, '').split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}

/** A file that cannot be read counts as empty. Not cached: only new connections need it. */
const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

const withoutComment = (line: string) => line.split(/[#;]/)[0]!.trim().split(/\s+/)

/** The addresses of a name in a hosts file. */
function findHost(text: string, name: string): string[] {
  const entries = text.toLowerCase().split('\n').map(withoutComment)
  return entries.flatMap(([address = '', ...names]) => (names.includes(name) ? [address] : []))
}

/** The last line with `search` or `domain` wins (resolv.conf(5)). With `ndots:0`, as in Docker's networks, plain names come first. */
function toSearch(text: string): { domains: string[]; isPlainFirst: boolean } {
  const lines = text.split('\n').map(withoutComment)
  const [, ...domains] = lines.findLast(([keyword = '']) => /^(?:search|domain)$/.test(keyword)) ?? []
  return {
    domains: domains.filter((domain) => domain !== '.').map((domain) => domain.replace(/\.$/, '')),
    isPlainFirst: lines.some(([keyword, ...options]) => keyword === 'options' && options.includes('ndots:0')),
  }
}
