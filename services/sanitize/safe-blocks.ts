// Code blocks of an answer. Where one begins and ends depends, in Markdown, on the lists, quotes and white space round it;
// a block between marks at the line's start is one for every reader, and nothing but its end mark ends it.
import { type Feed, maxLineStart, type SafeOutput } from './safe-output.ts'

export class BlockState {
  /** The open block's mark, such as three backticks; null outside. */
  fence: string | null = null
  /** What stood before the opening mark: its characters are taken off the lines of the block. */
  indent = ''
  /** Whether a block is open that is set off by four spaces; blank lines in it that may turn out to stand after it. */
  isIndented = false
  blanks = 0
  /** Whether the line before is blank, and whether a list continues: white space is then the list's. */
  afterBlank = true
  inList = false
}

const opening =
  /^(?<indent>(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*)(?<mark>`{3,}|~{3,})(?<info>[^\n]*)(?:\n|$)/u
/** Beginnings of what may become an opening. */
const mayOpen =
  /^(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)?$/u

/** Lets an opening mark out at the very start of its line, with the language alone after it. False: no block begins. */
export function scanOpening(feed: Feed, state: BlockState, out: SafeOutput): boolean {
  const { start, isWhole } = feed.lineStart()
  feed.needsMoreIf(!isWhole && mayOpen.test(start))
  const found = isWhole ? opening.exec(start)?.groups : undefined
  if (!found || (found.mark!.startsWith('`') && found.info!.includes('`'))) {
    takeOffIndent(feed, state, start)
    return false
  }
  const end = start.indexOf('\n')
  if (end < 0 && start.length === maxLineStart) return false
  state.fence = found.mark!
  state.indent = found.indent!
  const language = /^[ \t]*(?<name>[\w+#.-]{0,30})/u.exec(found.info!)!.groups!.name
  out.block(`${found.mark}${language}${end < 0 ? '' : '\n'}`)
  feed.at += end < 0 ? start.length : end + 1
  return true
}

/** What follows a block that was moved is moved as well, up to the first line that stood outside. */
function takeOffIndent(feed: Feed, state: BlockState, start: string) {
  const blank = /^[ \t]*/u.exec(start)![0].length
  if (start[blank] === '\n') return
  if (blank < state.indent.length) state.indent = ''
  feed.at += state.indent.length
}

/** A line's start in a block: its end mark, or code. */
export function scanInFence(feed: Feed, state: BlockState, out: SafeOutput) {
  const { start, isWhole } = feed.lineStart()
  const isQuoted = state.indent.includes('>')
  const before = (isQuoted ? /^[ \t>]*/u : /^[ \t]*/u).exec(start)![0].slice(0, state.indent.length).length
  const line = start.slice(before).split('\n')[0]!
  feed.needsMoreIf(!isWhole && /^[ \t>]*[`~]*[ \t]*$/u.test(line))
  feed.at += before
  // Readers differ on what else may stand after the marks: what may be an end is one, and is written as one.
  if (!/^[ \t]*[`~]+[ \t]*$/u.test(line) || !line.trim().startsWith(state.fence!)) return
  out.block(state.fence!)
  state.fence = null
  if (isQuoted) state.indent = ''
  feed.at += line.length
}

/**
 * Code that is set off by four spaces becomes a block between marks: whether four spaces are code depends on what stands
 * round them. At a line's start; `none`: the line is no code, and no such block is open any more.
 */
export function scanIndented(feed: Feed, state: BlockState, out: SafeOutput): 'code' | 'blank' | 'none' {
  if (!state.isIndented && (!state.afterBlank || state.inList)) return 'none'
  const { start, isWhole } = feed.lineStart()
  feed.needsMoreIf(!isWhole && /^[ \t]*$/u.test(start))
  if (state.isIndented && /^[ \t]*\n/u.test(start)) {
    state.blanks++
    feed.at += start.indexOf('\n') + 1
    return 'blank'
  }
  const blank = '\n'.repeat(state.blanks)
  const indent = /^(?: {4}| {0,3}\t)(?=[ \t]*[^ \t\n])/u.exec(start)?.[0]
  if (indent === undefined) {
    if (state.isIndented) out.block(`\`\`\`\n${blank}`)
    state.isIndented = false
    state.blanks = 0
    return 'none'
  }
  const line = start.slice(indent.length)
  feed.needsMoreIf(!isWhole && /^ {0,3}`{0,2}$/u.test(line))
  out.block(state.isIndented ? blank : '```\n')
  state.isIndented = true
  state.blanks = 0
  feed.at += indent.length
  // A line that would end the block stands further in.
  if (/^ {0,3}```/u.test(line)) out.block('    ')
  return 'code'
}

/** What a line outside of code tells the next one. */
export function noteLine(line: string, state: BlockState) {
  state.afterBlank = line.trim() === ''
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u.test(line)) state.inList = true
  else if (/^\S/u.test(line)) state.inList = false
}
