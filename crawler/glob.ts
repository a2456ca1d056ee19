// Patterns for page addresses: RE2 patterns of callers, and include and exclude globs of sources, which are translated to RE2.
// RE2 takes time proportional to program size times text length, so large patterns are refused.
import { LRUCache } from 'lru-cache'
import { RE2JS, RE2Set } from 're2js'
import { decodeUrl } from './url.ts'

export type UrlPattern = ReturnType<typeof readUrlPattern>

const maxInstructions = 1_000
/** Maximum characters of a pattern with expanded repeats. Checked before compiling, which is slow. */
const maxCharacters = 4_000
/** A Unicode class takes as long to compile as this many other characters. */
const unicodeClassCharacters = 40
/** Maximum ranges beyond ASCII: if case is ignored, one takes some 30 ms to compile. */
const maxWideRanges = 10
/**
 * Bytes of the state cache of a pattern for whole addresses. Limited, because there are many such patterns in memory. When
 * the cache is full, RE2 continues without it, which is faster than filling it with states that do not repeat.
 */
const maxMemory = 65_536

const tooLarge = `is too large: compiled, it may have at most ${maxInstructions} instructions; use fewer or smaller repeats`

/** Throws an Error whose message completes a sentence that names the field. */
export function readUrlPattern(text: string, { ignoreCase }: { ignoreCase: boolean }) {
  if (countCharacters(text) > maxCharacters || countWideRanges(text) > maxWideRanges)
    throw new Error(tooLarge)
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : RE2JS.DOTALL
  const pattern = compile(text, flags)
  const size = pattern.programSize()
  if (size > maxInstructions) throw new Error(tooLarge)
  let whole: RE2Set | undefined
  return {
    /** Instructions of the compiled program. A match costs this times the length of the address. */
    size,
    /** Whether the pattern matches a part of the address, or (`testWhole`) the whole address. */
    test: (url: string) => pattern.test(url),
    testWhole(url: string) {
      whole ??= compileWhole(text, flags)
      return whole.match(url).length > 0
    },
  }
}

function compile(text: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(text, flags)
  } catch {
    throw new Error('must be a regular expression in RE2 syntax')
  }
}

/** Uses a set of one pattern, because only the memory of sets can be limited. */
function compileWhole(text: string, flags: number): RE2Set {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, flags, maxMemory)
  set.add(text)
  return set
}

/**
 * Upper bound of the characters with expanded repeats: each repeat of a group counts for the whole pattern, a Unicode class
 * as several characters.
 *
 *     [a-z]{2,63}/   11 + 63
 *     (?:a{31}){31}  (13 + 31) × 31
 */
export function countCharacters(text: string): number {
  let characters = text.length + unicodeClassCharacters * (text.match(/\\[pP]/g)?.length ?? 0)
  let times = 1
  for (const [, group, min, max] of text.matchAll(/(\)?)\{(\d+)(?:,(\d*))?\}/g)) {
    const repeats = Math.max(Number(min), Number(max ?? 0), 1)
    if (group) times *= repeats
    else characters += repeats
  }
  return characters * times
}

/** Number of ranges whose end is an escape or beyond ASCII. */
const countWideRanges = (text: string): number => text.match(/-(?=\\[x\d]|[^\0-\x7f])/g)?.length ?? 0

export type Glob = ReturnType<typeof compileGlob>

const maxGlobLength = 1_000
const maxAlternatives = 100
/** Compiled globs by text, because every address is judged by the globs of all sources. Limited to some 50 MB. */
const compiled = new LRUCache<string, Glob>({ maxSize: 50_000, sizeCalculation: ({ size }) => size })

/**
 * `*` and `?` match within a path segment, `**` across segments (a final `/**` also matches the folder itself).
 * `{a,b}` is a choice, `[abc]` and `[!abc]` are sets, and `\` escapes the next character. Case-sensitive. A glob with a
 * scheme matches the whole address, others match the path. A leading slash is optional.
 * Throws an Error whose message completes a sentence that names the field.
 */
export function readGlob(text: string): Glob {
  const glob = compiled.get(text) ?? compileGlob(text)
  compiled.set(text, glob)
  return glob
}

function compileGlob(text: string) {
  if (text.trim() === '') throw new Error('must not be empty')
  if (text.length > maxGlobLength) throw new Error(`must have at most ${maxGlobLength} characters`)
  const isWhole = /^(?:https?|\*):\/\//.test(text)
  const body = isWhole || text.startsWith('/') || text.startsWith('**') ? text : `/${text}`
  const pattern = readUrlPattern(toPattern(body), { ignoreCase: false })
  return {
    /** As in UrlPattern. */
    size: pattern.size,
    /** `url`: absolute and normalized. */
    matches(url: string) {
      if (isWhole) return pattern.testWhole(url)
      const { pathname } = new URL(url)
      const read = decodeUrl(pathname, decodeURI)
      return pattern.testWhole(pathname) || (read !== pathname && pattern.testWhole(read))
    },
  }
}

const pieces = /\/\*\*$|\/\*\*\/|^\*\*\/|\*\*|\[[\s\S][^\]]*\]|\\?[\s\S]/gu
const wildcards = new Map([
  ['/**', '(?:/.*)?'],
  ['/**/', '/(?:.*/)?'],
  ['**/', '(?:.*/)?'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
])

/**
 * Translates a glob in one pass from left to right:
 *
 *     /docs/**          /docs(?:/.*)?
 *     /docs/**\/x.html  /docs/(?:.*\/)?x\.html
 *     /a*.{html,md}     /a[^/]*\.(?:html|md)
 */
function toPattern(glob: string): string {
  let open = 0
  let alternatives = 0
  const pattern = glob.replace(pieces, (piece) => {
    const wildcard = wildcards.get(piece)
    if (wildcard !== undefined) return wildcard
    if (piece === '{') {
      open += 1
      return '(?:'
    }
    if (piece === '}' && open > 0) {
      open -= 1
      return ')'
    }
    if (piece === ',' && open > 0) {
      alternatives += 1
      if (alternatives > maxAlternatives) throw new Error(`has more than ${maxAlternatives} alternatives`)
      return '|'
    }
    if (piece === '[') throw new Error('has a "[" without its "]"')
    if (piece === '\\') throw new Error('ends in a "\\" that takes nothing')
    return piece.startsWith('[') ? toSet(piece.slice(1, -1)) : RE2JS.quote(piece.replace(/^\\/, ''))
  })
  if (open > 0) throw new Error('has a "{" without its "}"')
  return pattern
}

function toSet(inside: string): string {
  const negated = inside.startsWith('!') || inside.startsWith('^')
  const members = (negated ? inside.slice(1) : inside).replace(/[\\[\]^&~]/g, '\\$&')
  if (members === '') throw new Error('has an empty "[]"')
  return negated ? `[^/${members}]` : `[${members}]`
}
