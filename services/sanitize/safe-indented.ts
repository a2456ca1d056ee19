// Code that is set off by four spaces (safe-text.ts). It becomes a fenced block: whether four spaces are code depends on
// what stands round them, marks do not.
import type { Feed } from './safe-feed.ts'
import type { SafeOutput } from './safe-output.ts'

/** Longer white space than this begins no code. */
const longestStart = 200
const fence = '```'
const indent = /^(?: {4}| {0,3}\t)/u

export interface IndentedState {
  /** Whether such a block is open. */
  open: boolean
  /** Blank lines in it that may turn out to stand behind it. */
  blanks: number
  /** Whether the line before is blank, and whether a list goes on: white space is then the list's. */
  afterBlank: boolean
  inList: boolean
}

/** At a line's start. `none`: the line is no code, and no block is open any more. */
export function scanIndented(
  feed: Feed,
  state: IndentedState,
  out: SafeOutput,
): 'code' | 'blank' | 'none' | 'more' {
  if (!state.open && (!state.afterBlank || state.inList)) return 'none'
  const rest = feed.text.slice(feed.at, feed.at + longestStart)
  const isWhole = feed.ended || rest.length === longestStart
  if (/^[ \t]*$/u.test(rest) && !isWhole) return 'more'
  if (state.open && /^[ \t]*\n/u.test(rest)) {
    state.blanks++
    feed.at += rest.indexOf('\n') + 1
    return 'blank'
  }
  const start = indent.exec(rest)?.[0]
  if (start === undefined || !/^[ \t]*[^ \t\n]/u.test(rest)) {
    if (state.open) out.block(`${fence}\n${'\n'.repeat(state.blanks)}`)
    state.open = false
    state.blanks = 0
    return 'none'
  }
  const line = rest.slice(start.length)
  if (/^ {0,3}`{0,2}$/u.test(line) && !isWhole) return 'more'
  out.block(state.open ? '\n'.repeat(state.blanks) : `${fence}\n`)
  state.open = true
  state.blanks = 0
  feed.at += start.length
  // A line that would end the block stands further in.
  if (/^ {0,3}```/u.test(line)) out.block('    ')
  return 'code'
}

/** What a line outside of code tells the next one. */
export function noteLine(line: string, state: IndentedState) {
  state.afterBlank = line.trim() === ''
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u.test(line)) state.inList = true
  else if (/^\S/u.test(line)) state.inList = false
}
