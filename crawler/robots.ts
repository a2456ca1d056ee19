// robots.txt by RFC 9309, with Crawl-delay, and the directives of the header X-Robots-Tag.
import type { FailReason } from './fail-reason.ts'
import type { Fetcher, FetchResult } from './fetch.ts'
import { type RobotsFile, type RobotsRules, robotsToken, toRules } from './robots-file.ts'

/** Reads the file's bytes under limits of time and memory; rejects where they do not suffice, and when the signal aborts. */
type ReadRobotsFile = (body: Uint8Array, signal: AbortSignal) => Promise<RobotsFile>

export interface Robots {
  /**
   * Whether the address may be asked for; reads robots.txt of its origin the first time and paces the fetcher by its
   * Crawl-delay. Rejects with the signal's reason when it aborts.
   */
  allows(url: string, signal: AbortSignal): Promise<boolean>
  /** Why robots.txt of the address's origin could not be read, so that nothing may be asked for; null where it was. */
  unread(url: string): FailReason | null
}

const maxRedirects = 5

const everything: RobotsRules = { allows: () => true, delayMs: 0 }
const nothing: RobotsRules = { allows: () => false, delayMs: 0 }

/** Remembers the rules of each origin for as long as it lives: make one a run. */
export function createRobots(fetcher: Fetcher, readFile: ReadRobotsFile): Robots {
  const reading = new Map<string, Promise<RobotsRules>>()
  const known = new Map<string, RobotsRules>()
  const failures = new Map<string, FailReason>()

  async function read(origin: string, signal: AbortSignal): Promise<RobotsRules> {
    const answer = await fetcher.fetchPage(`${origin}/robots.txt`, {
      accept: 'any',
      maxRedirects,
      signal,
    })
    // No server was reached: nothing is remembered, and the page's own request tells why.
    if (isUnreached(answer)) return everything
    const rules = await rulesOf(origin, answer, signal)
    known.set(origin, rules)
    if (rules.delayMs > 0) fetcher.pace(origin, rules.delayMs)
    return rules
  }

  /** RFC 9309 2.3.1: no file is no rule; a server that fails allows nothing. Nor does a file that cannot be read. */
  async function rulesOf(origin: string, answer: FetchResult, signal: AbortSignal): Promise<RobotsRules> {
    if (answer.kind === 'page') {
      const file = await readFile(answer.body, signal).catch(() => null)
      signal.throwIfAborted()
      if (file !== null) return toRules(file)
    } else if (answer.kind !== 'failed' || answer.reason === 'http_4xx') return everything
    failures.set(origin, answer.kind === 'failed' ? answer.reason : 'parse')
    return nothing
  }

  /** Readers that come meanwhile wait for the same answer; one whose reading was aborted by another reads anew. */
  async function rulesFor(origin: string, signal: AbortSignal): Promise<RobotsRules> {
    for (;;) {
      signal.throwIfAborted()
      const current = known.get(origin) ?? reading.get(origin)
      if (current === undefined) break
      const rules = await Promise.resolve(current).catch(() => null)
      if (rules) return rules
    }
    const mine = read(origin, signal).finally(() => reading.delete(origin))
    reading.set(origin, mine)
    return mine
  }

  return {
    async allows(url, signal) {
      const { origin, pathname, search } = new URL(url)
      const rules = known.get(origin) ?? (await rulesFor(origin, signal))
      return rules.allows(pathname + search)
    },
    unread: (url) => failures.get(new URL(url).origin) ?? null,
  }
}

function isUnreached(answer: FetchResult): boolean {
  return answer.kind === 'failed' && !answer.answered && answer.reason !== 'timeout'
}

/** Directives with a value of their own, whose colon names no crawler. */
const valued = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

/** What the header asks of everybody and of us: `noindex, otherbot: nofollow, lectern: none`. */
export function readRobotsTag(header: string | null): { noindex: boolean; nofollow: boolean } {
  const found = new Set<string>()
  let isOurs = true
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [head = '', tail] = part.split(':', 2).map((piece) => piece.trim())
    const isNamed = tail !== undefined && !valued.has(head)
    if (isNamed) isOurs = head === robotsToken
    if (isOurs) found.add(isNamed ? tail : head)
  }
  const isNone = found.has('none')
  return { noindex: isNone || found.has('noindex'), nofollow: isNone || found.has('nofollow') }
}
