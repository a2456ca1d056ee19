// Patterns over page addresses: RE2 patterns of callers, and include and exclude globs of sources, which are read into RE2
// patterns. RE2 is linear, but in program times text, so large patterns are refused.
import { RE2JS, RE2Set } from 're2js'

export interface UrlPattern {
  /** Instructions of the compiled program: what a match costs, times the length of the address. */
  size: number
  /** Whether the pattern is found anywhere in the address, or (`testWhole`) is all of it. */
  test(url: string): boolean
  testWhole(url: string): boolean
}

const maxInstructions = 1_000
/** Characters of a pattern with its repeats written out; more are refused before they are compiled, which takes long. */
const maxCharacters = 4_000
/** A Unicode class takes as long to compile as so many other characters. */
const unicodeClassCharacters = 40
/** Ranges beyond ASCII: one that ignores case takes some 30 ms to compile. */
const maxWideRanges = 10
/**
 * Bytes that a pattern held against whole addresses may keep of where it got to: such patterns are many, and kept. Above it,
 * it goes on without, which is faster than to keep what does not come again.
 */
const maxMemory = 65_536

const tooLarge = `is too large: compiled, it may have at most ${maxInstructions} instructions; use fewer or smaller repeats`

/** Throws an Error whose message completes a sentence that names the field. */
export function readUrlPattern(text: string, { ignoreCase }: { ignoreCase: boolean }): UrlPattern {
  if (countCharacters(text) > maxCharacters || countWideRanges(text) > maxWideRanges)
    throw new Error(tooLarge)
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : RE2JS.DOTALL
  const pattern = compile(text, flags)
  const size = pattern.programSize()
  if (size > maxInstructions) throw new Error(tooLarge)
  let whole: RE2Set | undefined
  return {
    size,
    test: (url) => pattern.test(url),
    testWhole(url) {
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

/** A set of one, for its memory can be limited. */
function compileWhole(text: string, flags: number): RE2Set {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, flags, maxMemory)
  set.add(text)
  return set
}

/**
 * Characters with repeats written out, never fewer: each repeat of a group counts for the whole pattern, a Unicode class
 * as several.
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

/** Ends of ranges that are written as escapes or lie beyond ASCII. */
function countWideRanges(text: string): number {
  return text.match(/-(?=\\[x\d]|[^\0-\x7f])/g)?.length ?? 0
}

export interface Glob {
  /** Instructions of its program: what a match costs, times the length of the address. */
  size: number
  /** `url` is absolute and normalised. */
  matches(url: string): boolean
}

const maxGlobLength = 1_000
const maxAlternatives = 100

/**
 * `*` and `?` stay within a path segment, `**` crosses segments (`/**` at the end takes the folder itself too),
 * `{a,b}` is a choice, `[abc]` and `[!abc]` a set, `\` takes the next character as it is. Case counts. A glob with a
 * scheme is held against the whole address, any other against the path; a leading slash is optional.
 * Throws an Error whose message completes a sentence that names the field.
 */
export function readGlob(text: string): Glob {
  if (text.trim() === '') throw new Error('must not be empty')
  if (text.length > maxGlobLength) throw new Error(`must have at most ${maxGlobLength} characters`)
  const isWhole = /^(?:https?|\*):\/\//.test(text)
  const body = isWhole || text.startsWith('/') || text.startsWith('**') ? text : `/${text}`
  const pattern = readUrlPattern(toPattern(body), { ignoreCase: false })
  return {
    size: pattern.size,
    matches(url) {
      if (isWhole) return pattern.testWhole(url)
      const { pathname } = new URL(url)
      const read = readable(pathname)
      return pattern.testWhole(pathname) || (read !== pathname && pattern.testWhole(read))
    },
  }
}

/** The path as a person writes it: `%C3%A9` as `é`. */
function readable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
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
 * One pass from left to right; what each piece becomes:
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
