// Constructs within a line of an answer (safe-text.ts): code, links, images, HTML, bare addresses.
import { toSafeAddress } from './safe-address.ts'
import type { SafeOutput } from './safe-output.ts'

export interface Feed {
  /** Not yet let out, from `at` on. */
  text: string
  at: number
  /** Whether no more comes. */
  ended: boolean
}

export interface InlineContext {
  out: SafeOutput
  isOurs(url: URL): boolean
  /** Notes what was taken out. */
  drop(text: string, why: string): void
  /** Makes a link's text safe. */
  clean(label: string): string
  /** Whether pipes end cells here, in code too. */
  inTable: boolean
  /** Set where code holds a pipe: the line must not become the head of a table. */
  pipedCode: boolean
}

/** Longest construct that is waited for; a longer one is prose. */
const longestLabel = 300
const longestAddress = 1_000
const longestCode = 1_000
const deepestLabel = 4

const plain = /[^\\`[!<\nhHwWfF]+/uy
const addressStart = /(?:https?|ftp):\/\/|www\./iuy
const addressStarts = ['http://', 'https://', 'ftp://', 'www.']
const addressEnd = /[\s<>`|[\]\\"]/u
const trailing = /[.,;:!?'")*_~]+$/u
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

/** Lets out `length` characters as prose. */
function pass(feed: Feed, { out }: InlineContext, length = 1): true {
  out.text(feed.text.slice(feed.at, feed.at + length))
  feed.at += length
  return true
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

function scanImage(feed: Feed, context: InlineContext): boolean {
  const next = feed.text[feed.at + 1]
  if (next === undefined && !feed.ended) return false
  if (next !== '[') return pass(feed, context)
  const link = readLink(feed, feed.at + 1)
  if (link === 'more') return false
  if (link === 'none') return pass(feed, context)
  context.drop(feed.text.slice(feed.at, link.end), 'image')
  rewrite(feed, link.end, ' ')
  return true
}

function scanLink(feed: Feed, context: InlineContext): boolean {
  const link = readLink(feed, feed.at)
  if (link === 'more') return false
  if (link === 'none') return pass(feed, context)
  const address = toSafeAddress(link.address, context.isOurs)
  const isCitation = /^\^?[\d,; ]+$/u.test(link.label)
  if (address !== null && !isCitation) {
    context.out.link(`[${context.clean(link.label)}](${address})`)
    feed.at = link.end
    return true
  }
  if (!isCitation) context.drop(feed.text.slice(feed.at, link.end), 'link')
  rewrite(feed, link.end, isCitation ? `[${link.label}]` : link.label || ' ')
  return true
}

/** Puts other text in place of a construct, to be read in its turn. */
function rewrite(feed: Feed, end: number, text: string) {
  feed.text = text + feed.text.slice(end)
  feed.at = 0
}

interface Link {
  label: string
  address: string
  end: number
}

/** `[label](address "title")` from `start` on, on one line. */
function readLink({ text, ended }: Feed, start: number): Link | 'none' | 'more' {
  const labelEnd = closing(text, start, '[', ']', longestLabel)
  if (labelEnd === null) return 'none'
  const next = labelEnd === undefined ? undefined : text[labelEnd + 1]
  if (next === undefined) return ended ? 'none' : 'more'
  if (next !== '(') return 'none'
  const end = closing(text, labelEnd! + 1, '(', ')', longestAddress)
  if (end === null) return 'none'
  if (end === undefined) return ended ? 'none' : 'more'
  const inside = text.slice(labelEnd! + 2, end).trim()
  return {
    label: text.slice(start + 1, labelEnd),
    address: inside.startsWith('<') ? inside.slice(1).split('>')[0]! : inside.split(/\s/u)[0]!,
    end: end + 1,
  }
}

/** Where the bracket at `start` is closed; null: not on its line or too far away; undefined: not in the text so far. */
function closing(
  text: string,
  start: number,
  open: string,
  close: string,
  longest: number,
): number | null | undefined {
  let depth = 0
  for (let at = start; at <= start + longest; at++) {
    const character = text[at]
    if (character === undefined) return undefined
    if (character === '\n' || depth > deepestLabel) return null
    if (character === '\\') at++
    else if (character === open) depth++
    else if (character === close && --depth === 0) return at
  }
  return null
}

/** `<https://…>` is a link; any other `<` that could begin HTML is escaped. */
function scanAngle(feed: Feed, context: InlineContext): boolean {
  const { text, at, ended } = feed
  const next = text[at + 1]
  if (next === undefined && !ended) return false
  if (next !== undefined && /[\s\d=]/u.test(next)) return pass(feed, context)
  const rest = text.slice(at + 1, at + 1 + longestAddress)
  const inside = /^[a-z][a-z0-9+.-]*(?::[^\s<>`\\]*)?/iu.exec(rest)?.[0] ?? ''
  const isOpen = inside.length === rest.length && rest.length < longestAddress
  if (inside !== '' && isOpen && !ended) return false
  if (!inside.includes(':') || rest[inside.length] !== '>') {
    context.out.text('&lt;')
    feed.at++
    return true
  }
  const safe = toSafeAddress(inside, context.isOurs)
  if (safe !== null) context.out.link(`<${inside}>`)
  else {
    context.drop(`<${inside}>`, 'link')
    context.out.code(`\`${inside}\``)
  }
  feed.at += inside.length + 2
  return true
}

/** An address in prose: readers' programs make a link of it. One that is not ours is shown as code. */
function scanAddress(feed: Feed, context: InlineContext): boolean {
  const { text, at, ended } = feed
  if (/[\p{L}\p{N}]$/u.test(context.out.tail())) return pass(feed, context)
  addressStart.lastIndex = at
  const start = addressStart.exec(text)?.[0]
  if (start === undefined) {
    const rest = text.slice(at, at + 8).toLowerCase()
    const mayBecome =
      at + rest.length === text.length && addressStarts.some((known) => known.startsWith(rest))
    return mayBecome && !ended ? false : pass(feed, context)
  }
  const rest = text.slice(at, at + longestAddress)
  const stop = rest.search(addressEnd)
  if (stop < 0 && rest.length < longestAddress && !ended) return false
  const extent = stop < 0 ? rest : rest.slice(0, stop)
  const tail = trailing.exec(extent)?.[0] ?? ''
  const url =
    tail.includes(')') && extent.includes('(') ? extent : extent.slice(0, extent.length - tail.length)
  const whole = start.includes(':') ? url : `https://${url}`
  // Otherwise readers' programs may see another end, or another beginning within.
  const isAlone =
    (stop < 0 ? rest.length < longestAddress : /\s/u.test(rest[stop]!)) &&
    !/.(?:\/\/.*\/\/|www\.)/iu.test(url)
  if (toSafeAddress(whole, context.isOurs) !== null) context.out.link(isAlone ? url : `<${whole}>`)
  else if (url.length <= start.length) return pass(feed, context, start.length - 1)
  else {
    context.drop(url, 'link')
    context.out.code(`\`${url}\``)
  }
  feed.at += url.length
  return true
}
