// Code blocks of an answer (safe-text.ts). Where a block begins and ends depends, in Markdown, on the lists and quotes
// round it; a block that is moved to the line's start is one for every reader, and nothing but its end mark ends it.
import type { Feed } from './safe-feed.ts'
import type { SafeOutput } from './safe-output.ts'

export interface LineState {
  /** The open code block's mark, such as three backticks; null outside. */
  fence: string | null
  /** What stood before the opening mark: its characters are taken off the lines of the block. */
  indent: string
}

const longestOpening = 200
const opening =
  /^(?<indent>(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*)(?<mark>`{3,}|~{3,})(?<info>[^\n]*)(?:\n|$)/u
/** Beginnings of what may become an opening. */
const mayOpen =
  /^(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)?$/u

/**
 * Reads an opening mark at a line's start and lets it out at the very start, with the language alone behind it;
 * takes off further lines what stood before it.
 */
export function scanFence(feed: Feed, lines: LineState, out: SafeOutput): 'opened' | 'none' | 'more' {
  const rest = feed.text.slice(feed.at, feed.at + longestOpening)
  const isWhole = feed.ended || rest.includes('\n') || rest.length === longestOpening
  if (!isWhole && mayOpen.test(rest)) return 'more'
  const found = isWhole ? opening.exec(rest)?.groups : undefined
  if (!found || (found.mark!.startsWith('`') && found.info!.includes('`'))) {
    takeOffIndent(feed, lines, rest)
    return 'none'
  }
  if (!rest.includes('\n') && rest.length === longestOpening) return 'none'
  lines.fence = found.mark!
  lines.indent = found.indent!
  const language = /^[ \t]*(?<name>[\w+#.-]{0,30})/u.exec(found.info!)!.groups!.name
  const end = rest.indexOf('\n')
  out.block(`${found.mark}${language}${end < 0 ? '' : '\n'}`)
  feed.at += end < 0 ? rest.length : end + 1
  return 'opened'
}

/** What follows a block that was moved is moved as well, up to the first line that stood outside. */
function takeOffIndent(feed: Feed, lines: LineState, rest: string) {
  const blank = /^[ \t]*/u.exec(rest)![0].length
  if (rest[blank] === '\n') return
  if (blank < lines.indent.length) lines.indent = ''
  feed.at += lines.indent.length
}

/** A line's start in a block: its end mark, or code. */
export function scanInFence(
  feed: Feed,
  lines: LineState,
  out: SafeOutput,
  toLine: (isLineStart: boolean) => void,
): boolean {
  const mark = lines.fence!
  const rest = feed.text.slice(feed.at, feed.at + longestOpening)
  const isWhole = feed.ended || rest.includes('\n') || rest.length === longestOpening
  const quoted = lines.indent.includes('>')
  const before = (quoted ? /^[ \t>]*/u : /^[ \t]*/u).exec(rest)![0].slice(0, lines.indent.length).length
  const inside = rest.slice(before).split('\n')[0]!
  if (!isWhole && /^[ \t>]*[`~]*[ \t]*$/u.test(inside)) return false
  // Readers differ on what else may stand behind the marks: what may be an end is one, and is written as one.
  if (/^[ \t]*[`~]+[ \t]*$/u.test(inside) && inside.trim().startsWith(mark)) {
    out.block(mark)
    lines.fence = null
    lines.indent = quoted ? '' : lines.indent
    feed.at += before + inside.length
  } else feed.at += before
  toLine(false)
  return true
}
