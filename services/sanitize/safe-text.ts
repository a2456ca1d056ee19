// Makes a model's Markdown safe while it streams: images go, links that lead elsewhere become their text, HTML is
// escaped, code passes as it is. Text is held back only while a construct is open.
import { Feed, type InlineContext, maxLineStart, needsMore, SafeOutput, scanInline } from './safe-inline.ts'

interface SafeText {
  /** Takes new text, answers what can be shown of it and of what was held back: may be empty. */
  push(text: string): string
  /** No more comes: answers what was held back. */
  end(): string
  /** What was taken out so far: at most 50, each cut to 200 characters. */
  dropped: { text: string; why: string }[]
}

/** Characters that are read at once. */
const maxSlice = 4_096
const maxDropped = 50
const maxDroppedLength = 200
const maxLine = 200
/** A table's second line. */
const delimiter = /^[\s>]*\|?[\s:]*-[-:\s]*(?:\|[-:\s]*)+$/u
const mayBeDelimiter = /^[\s>|:-]*$/u
const notText = /(?![\n\t])\p{Cc}/gu

/**
 * The output is the same however the input is cut. `isOurs`: whether an address may stay a link.
 *
 * `See ![x](https://e.example/?q=1) and [the docs](https://e.example/).` → `See   and the docs.`
 * `<img src=x>` → `&lt;img src=x>`; `https://e.example/` → the same as inline code.
 */
export function createSafeText(isOurs: (url: URL) => boolean): SafeText {
  const out = new SafeOutput()
  const feed = new Feed()
  const dropped: SafeText['dropped'] = []
  const context: InlineContext = { out, isOurs, drop, clean, inTable: false, hasPipedCode: false }
  const block = new BlockState()
  let unread = ''
  let atLineStart = true
  let line = ''
  let headMayBePiped = false

  function drop(text: string, why: string) {
    if (dropped.length < maxDropped) dropped.push({ text: text.slice(0, maxDroppedLength), why })
  }

  function clean(label: string): string {
    const inner = createSafeText(isOurs)
    const text = inner.push(label) + inner.end()
    for (const one of inner.dropped) drop(one.text, one.why)
    return text
  }

  function step() {
    if (atLineStart) {
      if (block.fence === null) beginLine()
      else {
        scanInFence(feed, block, out)
        atLineStart = false
      }
    } else if (block.fence !== null || block.isIndented) passCode()
    else if (feed.text[feed.at] === '\n') endLine()
    else {
      const { text, at } = feed
      scanInline(feed, context)
      if (feed.text === text) line = (line + text.slice(at, feed.at)).slice(0, maxLine)
    }
  }

  function beginLine() {
    const indented = scanIndented(feed, block, out)
    if (indented === 'code') atLineStart = false
    if (indented !== 'none') return
    const { start, isWhole } = feed.lineStart()
    feed.needsMoreIf(headMayBePiped && !isWhole && mayBeDelimiter.test(start))
    atLineStart = scanOpening(feed, block, out)
    context.inTable &&= !atLineStart && !/^[\s>]*(?:\n|$)/u.test(start)
    if (!atLineStart && headMayBePiped && delimiter.test(start.split('\n')[0]!)) out.text('\\')
    headMayBePiped = false
    line = ''
  }

  /** What is left of a line of code. */
  function passCode() {
    const end = feed.text.indexOf('\n', feed.at)
    const to = end < 0 ? feed.text.length : end + 1
    out.block(feed.text.slice(feed.at, to))
    feed.at = to
    atLineStart = end >= 0
  }

  function endLine() {
    noteLine(line, block)
    if (delimiter.test(line)) context.inTable = true
    headMayBePiped = context.hasPipedCode
    context.hasPipedCode = false
    out.text('\n')
    feed.at++
    atLineStart = true
  }

  function read(text: string) {
    for (let from = 0; from === 0 || from < text.length; from += maxSlice) {
      feed.text = feed.text.slice(feed.at) + text.slice(from, from + maxSlice)
      feed.at = 0
      try {
        while (feed.at < feed.text.length) step()
      } catch (thrown) {
        if (thrown !== needsMore) throw thrown
      }
    }
  }

  return {
    dropped,
    push(text) {
      const all = unread + text
      // The other half of a line end or of a character may follow.
      const whole = /[\r\ud800-\udbff]$/.test(all) ? all.length - 1 : all.length
      unread = all.slice(whole)
      read(all.slice(0, whole).replace(/\r\n?/gu, '\n').replace(notText, '').toWellFormed())
      return out.take()
    },
    end() {
      feed.ended = true
      read(unread === '' ? '' : '\n')
      return out.take()
    },
  }
}

/** The same for text that is there as a whole. */
export function cleanText(text: string, isOurs: (url: URL) => boolean): string {
  const safe = createSafeText(isOurs)
  return safe.push(text) + safe.end()
}

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
  // A line that would end the block is indented further.
  if (/^ {0,3}```/u.test(line)) out.block('    ')
  return 'code'
}

/** State that a line outside of code passes to the next one. */
export function noteLine(line: string, state: BlockState) {
  state.afterBlank = line.trim() === ''
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u.test(line)) state.inList = true
  else if (/^\S/u.test(line)) state.inList = false
}
