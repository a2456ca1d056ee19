// Sanitizes a model's Markdown while it streams: removes images, replaces links to other sites by their text, escapes HTML, removes
// the quoted words from citations, and keeps code unchanged. Buffers text only while a construct is open.

import { Feed, maxLineStart, needsMore } from './feed.ts'
import {
  type InlineContext,
  type Quotation,
  type Quotes,
  SafeOutput,
  scanInline,
  toQuoteKey,
} from './safe-inline.ts'

interface SafeText {
  /** Adds text. Returns the text that is ready, which may be empty. */
  push(text: string): string
  /** Adds a citation by the provider, for the text so far. Placed after the text, or below an open code block. */
  cite(citation: Quotation): string
  /** Ends the text. Returns the rest. */
  end(): string
  /** The first 50 removed constructs, each truncated to 200 characters. */
  dropped: { text: string; why: string }[]
}

/** Characters per step. */
const maxSlice = 4_096
/** Citations whose words are kept. Fewer are checked, and each is found by reading all of the answer before it. */
const maxQuotes = 1_000
const maxDropped = 50
const maxDroppedLength = 200
const maxLine = 200
/** The second line of a table. */
const delimiter = /^[\s>]*\|?[\s:]*-[-:\s]*(?:\|[-:\s]*)+$/u
const mayBeDelimiter = /^[\s>|:-]*$/u
/** The last line of a code block. */
const fenceLine = /^[ \t>*+\-\d.)]*(`{3,}(?=[^`]*$)|~{3,})/u
const notText = /(?![\n\t])\p{Cc}/gu

/**
 * The output does not depend on how the input is split. `isOurs`: whether links to an address are allowed. `quotes` receives the words
 * of citations.
 *
 * `See ![x](https://e.example/?q=1) and [the docs](https://e.example/).` → `See   and the docs.`
 * `<img src=x>` → `&lt;img src=x>`; `https://e.example/` → the same as inline code.
 * `It is so [1: "It is"].` → `It is so [1].`
 */
export function createSafeText(isOurs: (url: URL) => boolean, quotes: Quotes = new Map()): SafeText {
  const out = new SafeOutput()
  const feed = new Feed()
  const dropped: SafeText['dropped'] = []
  const context: InlineContext = { out, isOurs, drop, cite, clean, inTable: false, hasPipedCode: false }
  const block = new BlockState()
  let unread = ''
  let atLineStart = true
  let line = ''
  let headMayBePiped = false
  /** Citations of code that is still open. */
  const waiting: Quotation[] = []

  function drop(text: string, why: string) {
    if (dropped.length < maxDropped) dropped.push({ text: text.slice(0, maxDroppedLength), why })
  }

  function cite(cited: Quotation[], before = out.written): string {
    let marks = ''
    for (const { label, quote } of cited) {
      marks += `[${label}]`
      if (quotes.size < maxQuotes) quotes.set(toQuoteKey(label, before + marks), quote)
    }
    return marks
  }

  /** The waiting citations, as placed after the text `before`: below a code block. */
  function takeWaiting(before: string): string {
    let marks = ''
    for (const citation of waiting.splice(0)) {
      const text = before + marks
      const isBelow = fenceLine.test(text.slice(text.trimEnd().lastIndexOf('\n') + 1))
      const space = isBelow ? '\n\n' : /[\s\]]/u.test(text.at(-1) ?? ' ') ? '' : ' '
      marks += space + cite([citation], text + space) + (isBelow ? '\n\n' : '')
    }
    return marks
  }

  const isCode = () => block.fence !== null || block.isIndented

  function clean(label: string): string {
    const inner = createSafeText(isOurs)
    // Space at its start would be read as the indentation of code.
    const text = inner.push(label.trim()) + inner.end()
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
    } else if (isCode()) passCode()
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

  /** Outputs the rest of a line of code. */
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
        while (feed.at < feed.text.length) {
          step()
          if (waiting.length > 0 && !isCode()) feed.replace(feed.at, takeWaiting(out.written))
        }
      } catch (thrown) {
        if (thrown !== needsMore) throw thrown
      }
    }
  }

  function push(text: string): string {
    const all = unread + text
    // The second half of a line end or a surrogate pair may follow.
    const whole = /[\r\ud800-\udbff]$/.test(all) ? all.length - 1 : all.length
    unread = all.slice(whole)
    read(all.slice(0, whole).replace(/\r\n?/gu, '\n').replace(notText, '').toWellFormed())
    return out.take()
  }

  return {
    dropped,
    push,
    cite(citation) {
      if (waiting.length < maxQuotes) waiting.push(citation)
      return isCode() ? '' : push(takeWaiting(out.written + feed.text.slice(feed.at) + unread))
    },
    end() {
      feed.ended = true
      read(unread === '' ? '' : '\n')
      return out.take()
    },
  }
}

/** Sanitizes a complete text. */
export function cleanText(text: string, isOurs: (url: URL) => boolean): string {
  const safe = createSafeText(isOurs)
  return safe.push(text) + safe.end()
}

class BlockState {
  /** The fence of the open block, such as three backticks; null outside. */
  fence: string | null = null
  /** Text before the opening fence. As many characters are removed from the lines of the block. */
  indent = ''
  /** Whether an indented block is open, and its blank lines so far, which may turn out to follow it. */
  isIndented = false
  blanks = 0
  /** Whether the previous line is blank, and whether a list is open, to which indentation then belongs. */
  afterBlank = true
  inList = false
}

const opening =
  /^(?<indent>(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*)(?<mark>`{3,}|~{3,})(?<info>[^\n]*)(?:\n|$)/u
/** Prefixes of an opening. */
const mayOpen =
  /^(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)?$/u

/** Outputs an opening fence without indentation, followed by the language only. False if no block begins. */
function scanOpening(feed: Feed, state: BlockState, out: SafeOutput): boolean {
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

/** Removes the indentation of a block also from the lines after it, up to the first line with less. */
function takeOffIndent(feed: Feed, state: BlockState, start: string) {
  const blank = /^[ \t]*/u.exec(start)![0].length
  if (start[blank] === '\n') return
  if (blank < state.indent.length) state.indent = ''
  feed.at += state.indent.length
}

/** Scans the start of a line in a block: a closing fence or code. */
function scanInFence(feed: Feed, state: BlockState, out: SafeOutput) {
  const { start, isWhole } = feed.lineStart()
  const isQuoted = state.indent.includes('>')
  const before = (isQuoted ? /^[ \t>]*/u : /^[ \t]*/u).exec(start)![0].slice(0, state.indent.length).length
  const line = start.slice(before).split('\n')[0]!
  feed.needsMoreIf(!isWhole && /^[ \t>]*[`~]*[ \t]*$/u.test(line))
  feed.at += before
  // Renderers differ on what may follow a closing fence. Any possible closing fence closes the block, and is normalized.
  if (!/^[ \t]*[`~]+[ \t]*$/u.test(line) || !line.trim().startsWith(state.fence!)) return
  out.block(state.fence!)
  state.fence = null
  if (isQuoted) state.indent = ''
  feed.at += line.length
}

/**
 * Converts code indented by four spaces to a fenced block, because whether four spaces are code depends on the lines around.
 * Call at the start of a line. `none`: the line is not code, and no such block is open.
 */
function scanIndented(feed: Feed, state: BlockState, out: SafeOutput): 'code' | 'blank' | 'none' {
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
  // Indents a line that would close the block.
  if (/^ {0,3}```/u.test(line)) out.block('    ')
  return 'code'
}

/** Updates the state after a line outside of code. */
function noteLine(line: string, state: BlockState) {
  state.afterBlank = line.trim() === ''
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u.test(line)) state.inList = true
  else if (/^\S/u.test(line)) state.inList = false
}
