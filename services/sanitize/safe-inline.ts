// Constructs within a line of an answer (safe-text.ts), told apart by the character that they begin with.
import { type Feed, type InlineContext, pass } from './safe-feed.ts'
import { scanAddress, scanAngle, scanImage, scanLink } from './safe-link.ts'

/** Longer code is prose. */
const longestCode = 1_000

const plain = /[^\\`[!<\nhHwWfF]+/uy
const punctuation = /[!-/:-@[-`{-~]/u

/** Lets out the next construct or run of prose; false: more text is needed to tell what it is. Never at a newline. */
export function scanInline(feed: Feed, context: InlineContext): boolean {
  plain.lastIndex = feed.at
  const run = plain.exec(feed.text)?.[0]
  if (run !== undefined) {
    context.out.text(run)
    feed.at += run.length
    return true
  }
  const character = feed.text[feed.at]!
  const scan = scanners[character]
  return scan ? scan(feed, context) : scanAddress(feed, context)
}

const scanners: Record<string, (feed: Feed, context: InlineContext) => boolean> = {
  '\\': scanEscape,
  '`': scanCode,
  '[': scanLink,
  '!': scanImage,
  '<': scanAngle,
}

function scanEscape(feed: Feed, context: InlineContext): boolean {
  const next = feed.text[feed.at + 1]
  if (next === undefined && !feed.ended) return false
  if (next === undefined || !punctuation.test(next)) return pass(feed, context)
  context.out.text(next === '<' ? '&lt;' : `\\${next}`)
  feed.at += 2
  return true
}

/**
 * Code ends on its line, by as many marks as it began with. Marks without an end are escaped, so that none of them
 * pairs with one of a later line: what stands between these would be taken for code here, for prose by a reader.
 */
function scanCode(feed: Feed, context: InlineContext): boolean {
  const marks = runLength(feed, feed.at)
  const begin = feed.at + marks
  if (begin === feed.text.length && !feed.ended) return false
  for (let at = begin; at < begin + longestCode; ) {
    const next = feed.text[at]
    if (next === undefined && !feed.ended) return false
    if (next === undefined || next === '\n') break
    const length = next === '`' ? runLength(feed, at) : 1
    if (next === '`' && at + length === feed.text.length && !feed.ended) return false
    if (next === '`' && length === marks) {
      letCodeOut(feed.text.slice(feed.at, at + length), context)
      feed.at = at + length
      return true
    }
    at += length
  }
  context.out.text('\\`'.repeat(marks))
  feed.at = begin
  return true
}

function letCodeOut(marked: string, context: InlineContext) {
  const piped = /(?<!\\)\|/gu
  if (piped.test(marked) && !context.inTable) context.pipedCode = true
  context.out.code(context.inTable ? marked.replaceAll(piped, '\\|') : marked)
}

function runLength({ text }: Feed, from: number): number {
  let at = from
  while (text[at] === '`') at++
  return at - from
}
