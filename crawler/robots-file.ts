// What stands in a robots.txt (RFC 9309), and what it allows.

export interface RobotsRules {
  /** `target` is a path with its query. */
  allows(target: string): boolean
  /** 0 where none is asked for. */
  delayMs: number
}

export interface Rule {
  allow: boolean
  /** In one spelling of percent-encoding; `*` stands for anything, `$` at the end for the end. */
  pattern: string
}

/** What counts for us. A plain object: it crosses a thread's boundary. */
export interface RobotsFile {
  rules: Rule[]
  delayMs: number
}

/** The product token that robots.txt files name us by. */
export const robotsToken = 'lectern'

/** RFC 9309 2.5: at least so much is read; the rest is not. */
const maxBytes = 500 * 1024
/** Further ones do not count. Those with a star amid them are looked for everywhere in an address. */
const maxRules = 10_000
const maxStarred = 1_000

interface Group extends RobotsFile {
  starred: number
}

/** Rules for our token, or else for `*`; several groups of one name count as one. Lines that make no sense are ignored. */
export function readRobotsFile(body: Uint8Array): RobotsFile {
  const groups = new Map<string, Group>()
  const named = new Set<Group>()
  let inHead = false
  const text = new TextDecoder().decode(body.subarray(0, maxBytes))
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { key, value } = readLine(line)
    if (key === 'user-agent') {
      if (!inHead) named.clear()
      inHead = true
      const name = /^(?:[a-z_-]+|\*)/i.exec(value)?.[0].toLowerCase()
      if (name === robotsToken || name === '*') named.add(groupOf(groups, name))
    } else if (Object.hasOwn(memberLines, key)) {
      inHead = false
      for (const group of named) memberLines[key]?.(group, value)
    }
  }
  const { rules, delayMs } = groups.get(robotsToken) ?? groups.get('*') ?? { rules: [], delayMs: 0 }
  return { rules, delayMs }
}

export function toRules({ rules, delayMs }: RobotsFile): RobotsRules {
  return { allows: (target) => isAllowed(rules, target), delayMs }
}

function readLine(line: string): { key: string; value: string } {
  const written = line.split('#', 1)[0] as string
  const colon = written.indexOf(':')
  if (colon < 0) return { key: '', value: '' }
  return { key: written.slice(0, colon).trim().toLowerCase(), value: written.slice(colon + 1).trim() }
}

function groupOf(groups: Map<string, Group>, name: string): Group {
  const group = groups.get(name) ?? { rules: [], delayMs: 0, starred: 0 }
  groups.set(name, group)
  return group
}

const memberLines: Record<string, (group: Group, value: string) => void> = {
  allow: (group, value) => addRule(group, true, value),
  disallow: (group, value) => addRule(group, false, value),
  'crawl-delay': (group, value) => {
    const seconds = Number(value)
    if (seconds > 0 && Number.isFinite(seconds)) group.delayMs = seconds * 1_000
  },
}

function addRule(group: Group, allow: boolean, value: string) {
  if (value === '' || group.rules.length === maxRules) return
  const pattern = encode(value).replace(/\*+/g, '*')
  if (/\*./.test(pattern) && group.starred++ >= maxStarred) return
  group.rules.push({ allow, pattern })
}

/** The longest rule that matches decides, `Allow` among equals; without one the address may be asked for. */
function isAllowed(rules: Rule[], target: string): boolean {
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
 * The parts between the stars are looked for one after the other and never back, so it takes linear time:
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

/** One spelling: only what must be percent-encoded is, in upper case (RFC 9309 2.2.2). */
function encode(path: string): string {
  const encoded = path.replace(/[^\x21-\x7e]/gu, (sign) => encodeURIComponent(sign.toWellFormed()))
  if (!encoded.includes('%')) return encoded
  return encoded.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const sign = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(sign) ? sign : octet.toUpperCase()
  })
}
