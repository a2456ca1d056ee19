// A caller's pattern over page addresses (RE2), refused before it can cost much. RE2 is linear, but in program times text:
// `.{0,1000}` ninety times are 800 characters and a program of 180,000 instructions.
import { RE2JS, RE2Set } from 're2js'

export interface UrlPattern {
  /** Instructions of the compiled program: what a match costs, times the length of the address. */
  size: number
  /** Whether the pattern is found anywhere in the address, or (`testWhole`) is all of it. */
  test(url: string): boolean
  testWhole(url: string): boolean
}

const maxInstructions = 1_000
/** Above it no pattern is compiled: with its repeats written out, a pattern has about as many parts as instructions. */
const maxParts = 2 * maxInstructions
/**
 * Bytes that a pattern held against whole addresses may keep of where it got to: such patterns are many, and kept. Above it,
 * it goes on without, which is faster than to keep what does not come again.
 */
const maxMemory = 65_536
/** A Unicode class, or a range beyond ASCII, takes as long to compile as so many other parts; written out, it is compiled once. */
const partsOfUnicodeClass = 25
/** A range that ignores case is compiled one code point at a time: so many take as long as another part. */
const pointsOfPart = 500

const tooLarge = `is too large: compiled, it may have at most ${maxInstructions} instructions; use fewer or smaller repeats`

/** Throws an Error whose message completes a sentence that names the field. */
export function readUrlPattern(text: string, { ignoreCase }: { ignoreCase: boolean }): UrlPattern {
  if (countParts(text) > maxParts) throw new Error(tooLarge)
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

/** Flags, a quotation, a repeat, a set, the beginning of a group, an escape, or any other character. */
const token =
  /(?<flags>\(\?[imsU-]*\))|\\Q.*?(?:\\E|$)|\{(?<min>\d+)(?:,(?<max>\d*))?\}|\[\^?\]?(?:\\.|\[:[^:\]]*:\]|[^\\\]])*\]|(?<open>\((?:\?(?:[imsU-]*:|P?<\w*>))?)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\.|./gsu

/** Before the end of a range beyond ASCII, or what may be one, for a hyphen may stand elsewhere. */
const rangeEnd = /-(?=\\x\{(?<hex>[\da-f]+)\}|\\[x\d]|(?<char>[^\0-\x7f]))/giu

/**
 * Parts of the pattern with its repeats written out: a set or an escape is one; Unicode classes and ranges of many code
 * points are more, each counted where it stands, for repeats do not compile them again.
 *
 *     a(bc){3}d    a + 3 × (bc and its two brackets) + d = 14
 *     [a-\x{4e00}]{9}    9 for the set, 25 and 39.936 for the range
 */
export function countParts(text: string): number {
  /** Parts of each group that is open, the pattern itself first. */
  const groups = [0]
  let last = 0
  for (const { 0: part, groups: kind } of text.matchAll(token)) {
    if (kind?.min !== undefined) {
      const times = Math.max(Number(kind.min), Number(kind.max ?? 0), 1)
      groups.push(groups.pop()! + last * (times - 1))
      last *= times
    } else if (kind?.open !== undefined) {
      groups.push(2)
    } else if ('?*+'.includes(part)) {
      groups.push(groups.pop()! + 1)
      last += 1
    } else if (kind?.flags === undefined) {
      last = part === ')' && groups.length > 1 ? groups.pop()! : part.startsWith('\\Q') ? part.length : 1
      groups.push(groups.pop()! + last)
    }
  }
  const unicodeClasses = text.match(/\\[pP]/gu)?.length ?? 0
  return groups.reduce(
    (sum, parts) => sum + parts,
    partsOfUnicodeClass * unicodeClasses + partsOfRanges(text),
  )
}

function partsOfRanges(text: string): number {
  let parts = 0
  for (const { groups } of text.matchAll(rangeEnd)) {
    const end = groups?.hex ? Number.parseInt(groups.hex, 16) : (groups?.char?.codePointAt(0) ?? 0)
    parts += partsOfUnicodeClass + end / pointsOfPart
  }
  return parts
}
