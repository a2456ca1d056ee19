// Makes a model's Markdown safe while it streams (decisions.md "Chat"): images go, links that lead elsewhere become
// their text, HTML is escaped, code passes as it is. Text is held back only while a construct is open.

import type { Feed, InlineContext } from './safe-feed.ts'
import { type LineState, scanFence, scanInFence } from './safe-fence.ts'
import { type IndentedState, noteLine, scanIndented } from './safe-indented.ts'
import { scanInline } from './safe-inline.ts'
import { createSafeOutput } from './safe-output.ts'

export interface Dropped {
  text: string
  why: string
}

export interface SafeText {
  /** Takes new text, answers what can be shown of it and of what was held back: may be empty. */
  push(text: string): string
  /** No more comes: answers what was held back. */
  end(): string
  /** What was taken out so far: at most 50, each cut to 200 characters. */
  dropped: Dropped[]
}

const slice = 4_096
const mostDropped = 50
const longestDropped = 200
const longestIndent = 200
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
  const out = createSafeOutput()
  const dropped: Dropped[] = []
  const feed: Feed = { text: '', at: 0, ended: false }
  const lines: LineState = { fence: null, indent: '' }
  const context: InlineContext = { out, isOurs, drop, clean, inTable: false, pipedCode: false }
  const indented: IndentedState = { open: false, blanks: 0, afterBlank: true, inList: false }
  let unread = ''
  let atLineStart = true
  let line = ''
  let headMayBePiped = false

  function drop(text: string, why: string) {
    if (dropped.length < mostDropped) dropped.push({ text: text.slice(0, longestDropped), why })
  }

  function clean(label: string): string {
    const inner = createSafeText(isOurs)
    const text = inner.push(label) + inner.end()
    for (const one of inner.dropped) drop(one.text, one.why)
    return text
  }

  /** Whether something was let out. */
  function step(): boolean {
    if (indented.open && !atLineStart) return passLine()
    if (lines.fence === null && atLineStart) {
      const found = scanIndented(feed, indented, out)
      if (found === 'more') return false
      if (found === 'code') atLineStart = false
      if (found !== 'none') return true
    }
    if (lines.fence !== null) return atLineStart ? scanInFence(feed, lines, out, toLine) : passLine()
    if (atLineStart) return beginLine()
    if (feed.text[feed.at] === '\n') {
      endLine()
      return true
    }
    const before = feed.text
    const from = feed.at
    const done = scanInline(feed, context)
    if (done && before === feed.text) line = (line + before.slice(from, feed.at)).slice(0, longestIndent)
    return done
  }

  function toLine(isLineStart: boolean) {
    atLineStart = isLineStart
  }

  /** What is left of a line of code. */
  function passLine(): true {
    const end = feed.text.indexOf('\n', feed.at)
    const to = end < 0 ? feed.text.length : end + 1
    out.block(feed.text.slice(feed.at, to))
    feed.at = to
    atLineStart = end >= 0
    return true
  }

  function beginLine(): boolean {
    const rest = feed.text.slice(feed.at, feed.at + longestIndent)
    const isWhole = feed.ended || rest.length === longestIndent || rest.includes('\n')
    if (headMayBePiped && !isWhole && mayBeDelimiter.test(rest)) return false
    const opened = scanFence(feed, lines, out)
    if (opened === 'more') return false
    atLineStart = opened === 'opened'
    context.inTable &&= !/^[\s>]*(?:\n|$)/u.test(rest)
    if (opened === 'opened') context.inTable = false
    else if (headMayBePiped && delimiter.test(rest.split('\n')[0]!)) out.text('\\')
    headMayBePiped = false
    line = ''
    return true
  }

  function endLine() {
    noteLine(line, indented)
    if (delimiter.test(line)) context.inTable = true
    headMayBePiped = context.pipedCode
    context.pipedCode = false
    out.text('\n')
    feed.at++
    atLineStart = true
  }

  function read(text: string) {
    for (let from = 0; from < text.length; from += slice) {
      feed.text = feed.text.slice(feed.at) + text.slice(from, from + slice)
      feed.at = 0
      while (feed.at < feed.text.length && step());
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
      while (feed.at < feed.text.length && step());
      return out.take()
    },
  }
}

/** The same for text that is there as a whole. */
export function cleanText(text: string, isOurs: (url: URL) => boolean): string {
  const safe = createSafeText(isOurs)
  return safe.push(text) + safe.end()
}
