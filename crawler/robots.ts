// Reads robots.txt (RFC 9309) with Crawl-delay, and the header X-Robots-Tag.
import type { Fetcher } from './fetch.ts'
import { type FailReason, failed, type Reading } from './fetch-result.ts'

/** Parses the file under limits of time and memory. Rejects if it exceeds them. */
type ReadRobotsFile = (body: Uint8Array) => Promise<RobotsFile>

export type Robots = ReturnType<typeof createRobots>

/** `failure`: why the file could not be read, which forbids all requests. */
type OriginRules = RobotsFile & { failure?: FailReason }

const everything: OriginRules = { rules: [], delayMs: 0 }

/** Caches the rules of each origin forever: create one per run, with the signal that aborts the run. */
export function createRobots(fetcher: Fetcher, readFile: ReadRobotsFile, signal: AbortSignal) {
  const files = new Map<string, Promise<OriginRules>>()

  /** RFC 9309 2.3.1: without a file, everything is allowed. If the server fails or the file cannot be read, nothing is. */
  async function read(origin: string): Promise<OriginRules> {
    const answer = await fetcher.fetchPage(`${origin}/robots.txt`, { as: 'file', signal })
    if (answer.kind === 'failed') {
      // No server was reached: caches nothing, because the request for the page reports the reason.
      const isUnreached = !answer.answered && answer.reason !== 'timeout'
      if (isUnreached) files.delete(origin)
      const { reason } = answer
      return isUnreached || reason === 'http_4xx' ? everything : { ...everything, failure: reason }
    }
    if (answer.kind !== 'document') return everything
    const file = await readFile(answer.body).catch(() => null)
    signal.throwIfAborted()
    if (file === null) return { ...everything, failure: 'parse' }
    if (file.delayMs > 0) fetcher.pace(origin, file.delayMs)
    return file
  }

  return {
    /**
     * Why the address may not be requested. Null if it may. Reads robots.txt of its origin the first time, and sets the
     * fetcher's delay to its Crawl-delay. Rejects with the signal's reason if it aborts.
     */
    async refusal(url: string): Promise<Reading | null> {
      signal.throwIfAborted()
      const { origin, pathname, search } = new URL(url)
      const file = files.get(origin) ?? read(origin)
      files.set(origin, file)
      const { rules, failure } = await file
      if (failure) return failed(failure, 'robots.txt could not be read, so nothing may be requested.', false)
      if (isAllowed(rules, pathname + search)) return null
      return { kind: 'skipped', reason: 'robots', message: 'robots.txt does not allow it.', answered: false }
    },
  }
}

/** Directives with a value: their colon does not follow a crawler's name. */
const valued = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

/** Directives of the header for all crawlers and for Lectern: `noindex, otherbot: nofollow, lectern: none`. */
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

export interface Rule {
  allow: boolean
  /** With normalized percent-encoding. `*` matches anything, a final `$` the end. */
  pattern: string
}

/** The rules that apply to Lectern. A plain object, because it crosses threads. */
export interface RobotsFile {
  rules: Rule[]
  delayMs: number
}

/** Lectern's product token in robots.txt files. */
const robotsToken = 'lectern'

/** Bytes that are read: the minimum of RFC 9309 2.5. The rest is ignored. */
const maxBytes = 500 * 1024
/** Further rules are ignored. Rules with an inner star are slower: they are searched in the whole address. */
const maxRules = 10_000
const maxStarred = 1_000

interface RuleGroup extends RobotsFile {
  starred: number
}

/** Returns rules for Lectern's token, else for `*`. Merges groups of the same name. Ignores invalid lines. */
export function readRobotsFile(body: Uint8Array): RobotsFile {
  const groups = new Map<string, RuleGroup>()
  const named = new Set<RuleGroup>()
  let inHead = false
  const text = new TextDecoder().decode(body.subarray(0, maxBytes))
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { key, value } = readLine(line)
    if (key === 'user-agent') {
      if (!inHead) named.clear()
      inHead = true
      const name = /^(?:[a-z_-]+|\*)/i.exec(value)?.[0].toLowerCase()
      if (name !== robotsToken && name !== '*') continue
      const group = groups.get(name) ?? { rules: [], delayMs: 0, starred: 0 }
      groups.set(name, group)
      named.add(group)
    } else if (key === 'crawl-delay') {
      inHead = false
      const seconds = Number(value)
      if (seconds > 0 && Number.isFinite(seconds)) for (const group of named) group.delayMs = seconds * 1_000
    } else if (key === 'allow' || key === 'disallow') {
      inHead = false
      for (const group of named) addRule(group, key === 'allow', value)
    }
  }
  const { rules, delayMs } = groups.get(robotsToken) ?? groups.get('*') ?? { rules: [], delayMs: 0 }
  return { rules, delayMs }
}

function readLine(line: string): { key: string; value: string } {
  const written = line.split('#', 1)[0] as string
  const colon = written.indexOf(':')
  if (colon < 0) return { key: '', value: '' }
  return { key: written.slice(0, colon).trim().toLowerCase(), value: written.slice(colon + 1).trim() }
}

function addRule(group: RuleGroup, allow: boolean, value: string) {
  if (value === '' || group.rules.length === maxRules) return
  const pattern = encode(value).replace(/\*+/g, '*')
  if (/\*./.test(pattern) && group.starred++ >= maxStarred) return
  group.rules.push({ allow, pattern })
}

/**
 * `target`: a path with its query. The longest matching rule wins, `Allow` among equal ones. Without a matching rule, the
 * target is allowed.
 */
export function isAllowed(rules: Rule[], target: string): boolean {
  if (target === '/robots.txt') return true
  const encoded = encode(target)
  let best: Rule | null = null
  for (const rule of rules) {
    const length = best?.pattern.length ?? -1
    const isStronger = rule.pattern.length > length || (rule.pattern.length === length && rule.allow)
    if (isStronger && matches(rule.pattern, encoded)) best = rule
  }
  return best?.allow ?? true
}

/**
 * Searches the parts between stars one after the other, without backtracking, in linear time:
 *
 *     /a*b$ against /axbxb: starts with "/a", ends with "b" after it: a match
 *     /a*x*b against /axb:  "/a" at 0, then "x" at 2, then "b" at 3: a match
 */
function matches(pattern: string, target: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const [first = '', ...rest] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  if (!target.startsWith(first)) return false
  const last = rest.pop()
  let at = first.length
  if (last === undefined) return !isAnchored || at === target.length
  for (const part of rest) {
    const found = target.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return isAnchored ? target.length - last.length >= at && target.endsWith(last) : target.includes(last, at)
}

/** Normalizes percent-encoding: only where required, in upper case (RFC 9309 2.2.2). */
function encode(path: string): string {
  const encoded = path.replace(/[^\x21-\x7e]/gu, (sign) => encodeURIComponent(sign.toWellFormed()))
  if (!encoded.includes('%')) return encoded
  return encoded.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const sign = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(sign) ? sign : octet.toUpperCase()
  })
}
