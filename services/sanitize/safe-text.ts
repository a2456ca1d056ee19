// Makes a model's Markdown safe while it streams: images go, links that lead elsewhere become their text, HTML is
// escaped, code passes as it is. Text is held back only while a construct is open.
import { BlockState, noteLine, scanIndented, scanInFence, scanOpening } from './safe-blocks.ts'
import { type InlineContext, scanInline } from './safe-inline.ts'
import { Feed, needsMore, SafeOutput } from './safe-output.ts'

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
