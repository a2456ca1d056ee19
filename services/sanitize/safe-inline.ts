// Sanitizes the inline constructs of an answer: escapes, code, links, images, HTML and bare addresses. Links to other sites become
// their text. A citation that quotes its passage (`[1: "exact words"]`) becomes `[1]`, and the words are stored separately, to be
// searched in the passage. The output escapes characters that would form a new construct with adjacent text, since removing a construct may
// join two harmless parts.
import type { Feed } from './feed.ts'

const tailLength = 16
/** Allowed before a link definition: white space, quotes and list marks. */
const container = /[\s>*+\-.)\d]/u
const special = /[(:/.~\n]/u
const guarded = /[(:/.~\n]|[^(:/.~\n]+/gu

/**
 * `[a]` + `(b)` → `[a] (b)`, not a link. At a paragraph's start, `[a]` + `: b` → `[a] : b`, not a definition.
 * `http:/` + `/b` and `www` + `.b` → with a character reference, not an autolink.
 * `~~` + `~` → `~~\~`, not a code block.
 * At a paragraph's start, `[a` + line end → `\[a`, not a definition whose label runs into code.
 */
export class SafeOutput {
  /** All of the output, and its last characters. */
  written = ''
  tail = ''
  /** Whether the line has no text yet. */
  inHead = true
  #taken = 0
  #mayDefine = false

  /** Outputs prose, with escapes. */
  text(piece: string) {
    if (!special.test(piece)) return this.block(piece)
    for (const [part] of piece.matchAll(guarded)) {
      if (part === '(' && this.tail.endsWith(']')) this.block(' (')
      else if (part === ':' && this.#mayDefine && this.tail.endsWith(']')) this.block(' :')
      else if (part === '/' && /(?:https?|ftp):\/$/iu.test(this.tail)) this.block('&#47;')
      else if (part === '.' && /www$/iu.test(this.tail)) this.block('&#46;')
      else if (part === '~' && this.tail.endsWith('~~')) this.block('\\~')
      else this.block(part)
    }
  }

  /** Outputs inline code with its marks, separated from an adjacent mark. */
  code(marked: string) {
    this.block(/[\\`]$/u.test(this.tail) ? ` ${marked}` : marked)
  }

  /** Outputs an allowed link. */
  link(marked: string) {
    this.block(/[\\!]$/u.test(this.tail) ? ` ${marked}` : marked)
  }

  /** Outputs part of a code block, unchanged. */
  block(piece: string) {
    if (piece === '') return
    this.written += piece
    this.tail = (this.tail + piece).slice(-tailLength)
    if (!this.inHead && !piece.includes('\n')) return
    for (const line of piece.split(/(?<=\n)/u)) this.#lookAt(line)
  }

  /** What was output since the last call. */
  take(): string {
    const piece = this.written.slice(this.#taken)
    this.#taken = this.written.length
    return piece
  }

  /** A definition can only begin a paragraph. Its label may span lines. */
  #lookAt(line: string) {
    if (this.inHead) {
      const first = [...line].find((character) => !container.test(character))
      if (first !== undefined) {
        this.inHead = false
        if (first === '[') this.#mayDefine = true
      }
    }
    if (!line.endsWith('\n')) return
    if (this.inHead) this.#mayDefine = false
    this.inHead = true
  }
}

/** The words that citations quote, by citation: `[1]` and the number of occurrences of `[1]` in the answer so far. */
export type Quotes = Map<string, string>

/** The key of the last `[label]` of a text. */
export function toQuoteKey(label: number, text: string): string {
  return `${label} ${text.split(`[${label}]`).length - 1}`
}

/** Words of a passage. */
export interface Quotation {
  label: number
  quote: string
}

export interface InlineContext {
  out: SafeOutput
  isOurs(url: URL): boolean
  /** Records a removed construct. */
  drop(text: string, why: string): void
  /** Keeps the words of citations. Returns the citations without them. */
  cite(cited: Quotation[]): string
  clean(label: string): string
  /** Whether pipes end cells, even in code. */
  inTable: boolean
  /** Whether code on the line contains a pipe. The line must then not become a table head. */
  hasPipedCode: boolean
}

/** Longer code is treated as prose. */
const maxCode = 1_000
const maxLabel = 300
const maxLabelDepth = 4
const maxAddress = 1_000

const plain = /[^\\`[!<\nhHwWfF]+/uy
const scanners: Record<string, (feed: Feed, context: InlineContext) => unknown> = {
  '\\': scanEscape,
  '`': scanCode,
  '[': scanLink,
  '!': scanImage,
  '<': scanAngle,
}

/** Outputs the next construct or run of prose. Must not be called at a newline. */
export function scanInline(feed: Feed, context: InlineContext) {
  plain.lastIndex = feed.at
  const run = plain.exec(feed.text)?.[0]
  if (run !== undefined) pass(feed, context, run.length)
  else (scanners[feed.text[feed.at]!] ?? scanAddress)(feed, context)
}

/** Outputs `length` characters as prose. */
function pass(feed: Feed, { out }: InlineContext, length = 1) {
  out.text(feed.text.slice(feed.at, feed.at + length))
  feed.at += length
}

function scanEscape(feed: Feed, context: InlineContext) {
  const next = feed.char(feed.at + 1)
  if (!/[!-/:-@[-`{-~]/u.test(next)) return pass(feed, context)
  context.out.text(next === '<' ? '&lt;' : `\\${next}`)
  feed.at += 2
}

/** After `[`, some renderers end code at marks of another length: `` a`](b) ``. */
const mayHoldLink = /[^`]`+[^`].*\]\(/u

/**
 * Code ends on its line, with as many marks as it began with. Unmatched marks are escaped, so that they cannot pair with
 * marks on a later line: text between them would be code here, but prose to a renderer.
 */
function scanCode(feed: Feed, context: InlineContext) {
  const { rest, isWhole } = feed.restOfLine(maxCode)
  const marks = /^`+/u.exec(rest)![0]
  const found = new RegExp(`^${marks}(?!\`)[^]*?(?<!\`)${marks}(?!\`)`, 'u').exec(rest)?.[0]
  feed.needsMoreIf(!isWhole && (found === undefined || found.length === rest.length))
  const code = found === undefined || cutsQuoted(found) || mayHoldLink.test(found) ? undefined : found
  if (code === undefined) context.out.text('\\`'.repeat(marks.length))
  else {
    const escaped = code.replaceAll(/(?<!\\)\|/gu, '\\|')
    if (!context.inTable && escaped !== code) context.hasPipedCode = true
    context.out.code(context.inTable ? escaped : code)
  }
  feed.at += (code ?? marks).length
}

function scanImage(feed: Feed, context: InlineContext) {
  const link = feed.char(feed.at + 1) === '[' ? readLink(feed, feed.at + 1) : null
  if (link === null) return pass(feed, context)
  context.drop(feed.text.slice(feed.at, link.end), 'image')
  feed.replace(link.end, ' ')
}

function scanLink(feed: Feed, context: InlineContext) {
  const quoted = readQuoted(feed)
  if (quoted !== null) return feed.replace(quoted.end, context.cite(quoted.cited))
  const link = readLink(feed, feed.at)
  if (link === null) {
    const mayRunOn = context.out.inHead && findClosing(feed, feed.at, '[]', maxLabel) === null
    if (mayRunOn) context.out.text('\\')
    return pass(feed, context)
  }
  const { label, end } = link
  const address = toSafeAddress(link.address, context.isOurs)
  const isCitation = /^\^?[\d,; ]+$/u.test(label)
  if (address !== null && !isCitation) {
    context.out.link(`[${context.clean(label)}](${address})`)
    feed.at = end
    return
  }
  if (!isCitation) context.drop(feed.text.slice(feed.at, end), 'link')
  feed.replace(end, isCitation ? `[${label}]` : label || ' ')
}

/** Reads `[label](address "title")` on one line. */
function readLink(feed: Feed, start: number): { label: string; address: string; end: number } | null {
  const labelEnd = findClosing(feed, start, '[]', maxLabel)
  if (labelEnd === null || feed.char(labelEnd + 1) !== '(') return null
  const end = findClosing(feed, labelEnd + 1, '()', maxAddress)
  if (end === null) return null
  const inside = feed.text.slice(labelEnd + 2, end).trim()
  return {
    label: feed.text.slice(start + 1, labelEnd),
    address: inside.startsWith('<') ? inside.slice(1).split('>')[0]! : inside.split(/\s/u)[0]!,
    end: end + 1,
  }
}

/** Position of the closing bracket; null if it is not on the line within `max` characters. */
function findClosing(feed: Feed, start: number, brackets: string, max: number): number | null {
  let depth = 0
  for (let at = start; at <= start + max; at++) {
    const character = feed.char(at)
    if (character === '' || character === '\n' || depth > maxLabelDepth) return null
    if (character === '\\') at++
    else if (character === brackets[0]) depth++
    else if (character === brackets[1] && --depth === 0) return at
  }
  return null
}

/** Maximum characters to wait for the end of a citation. */
const maxQuoted = 1_000
const quoteMarks = `"“”„«»'‘’\`「」`
/** A citation ends with its paragraph. */
const gap = String.raw`(?:(?!\n\n)\s)`
const mayBeQuoted = new RegExp(String.raw`^\[\^?\d{0,3}${gap}{0,2}:?${gap}{0,2}$`, 'u')
const quotedStart = new RegExp(String.raw`^\[\^?\d{1,3}${gap}{0,2}:${gap}{0,2}[${quoteMarks}]`, 'u')
const closedQuoted = new RegExp(
  String.raw`^\[(\^?\d{1,3}${gap}*:${gap}*[${quoteMarks}](?:(?!\n\n)[^])+?[${quoteMarks}])${gap}*\]`,
  'u',
)
/** Unclosed: ends at the next bracket, or with the paragraph. */
const openQuoted = /^\[((?:(?!\n\n)[^\]])*)\]?/u
const quotedPart = new RegExp(
  String.raw`\^?(?<label>\d{1,3})\s*:\s*[${quoteMarks}](?<quote>.+?)(?:[${quoteMarks}]\s*[,;]\s*(?=\^?\d{1,3}\s*:\s*[${quoteMarks}])|[${quoteMarks}]?\s*$)`,
  'gsu',
)

/** The citations with quotes at the start of the text, and their end: `[1: "It is so"; 2: "that too"]` → 1 "It is so", 2 "that too". */
function readQuoted(feed: Feed): { cited: Quotation[]; end: number } | null {
  const text = feed.text.slice(feed.at, feed.at + maxQuoted)
  if (!quotedStart.test(text)) {
    feed.needsMoreIf(mayBeQuoted.test(text))
    return null
  }
  const closed = closedQuoted.exec(text)
  feed.needsMoreIf(closed === null && text.length < maxQuoted && !text.includes('\n\n'))
  const [all, inside] = (closed ?? openQuoted.exec(text)) as unknown as [string, string]
  const cited = Array.from(inside.matchAll(quotedPart), ({ groups }) => ({
    label: Number(groups!.label),
    quote: groups!.quote!.trim(),
  }))
  const none = { label: Number.parseInt(inside.replace('^', ''), 10), quote: '' }
  return { cited: cited.length > 0 ? cited : [none], end: feed.at + all.length }
}

/** Whether a citation begins in code but does not end there: then nothing closes the marks before it. */
function cutsQuoted(code: string): boolean {
  const start = code.search(/\[\^?\d{1,3}\s*:\s*["“]/u)
  return start >= 0 && !closedQuoted.test(code.slice(start))
}

const tag = /^<(?:br *\/?|([a-z][a-z0-9+.-]*:[^\s<>`\\]*))>/iu
const mayBeTag = /^<(?:br? *\/?|[a-z][a-z0-9+.-]*(?::[^\s<>`\\]*)?)$/iu

/** `<https://…>` is a link, `<br>` a space. Any other `<` that could begin HTML is escaped. */
function scanAngle(feed: Feed, context: InlineContext) {
  if (/[\s\d=]/u.test(feed.char(feed.at + 1))) return pass(feed, context)
  const { rest, isWhole } = feed.restOfLine(maxAddress)
  const found = tag.exec(rest)
  feed.needsMoreIf(found === null && !isWhole && mayBeTag.test(rest))
  const [shown, address] = found ?? ['<']
  if (found === null) context.out.text('&lt;')
  else if (address === undefined) context.out.text(' ')
  else if (toSafeAddress(address, context.isOurs) !== null) context.out.link(shown)
  else showAddress(address, shown, context)
  feed.at += shown.length
}

function showAddress(address: string, dropped: string, { out, drop }: InlineContext) {
  drop(dropped, 'link')
  out.code(`\`${address}\``)
}

const addressStart = /(?:https?|ftp):\/\/|www\./iuy
const addressStarts = ['http://', 'https://', 'ftp://', 'www.']

/** An address in prose, which renderers make a link. One of another site is output as code. */
function scanAddress(feed: Feed, context: InlineContext) {
  const rest = feed.text.slice(feed.at, feed.at + maxAddress)
  if (/[\p{L}\p{N}]$/u.test(context.out.tail)) return pass(feed, context)
  addressStart.lastIndex = feed.at
  const start = addressStart.exec(feed.text)?.[0]
  if (start === undefined) {
    feed.needsMoreIf(addressStarts.some((known) => known.startsWith(rest.toLowerCase())))
    return pass(feed, context)
  }
  const stop = rest.search(/[\s<>`|[\]\\"]/u)
  const isCut = rest.length === maxAddress
  feed.needsMoreIf(stop < 0 && !isCut)
  const extent = stop < 0 ? rest : rest.slice(0, stop)
  const tail = /[.,;:!?'")*_~]+$/u.exec(extent)?.[0] ?? ''
  const url =
    tail.includes(')') && extent.includes('(') ? extent : extent.slice(0, extent.length - tail.length)
  const whole = start.includes(':') ? url : `https://${url}`
  // Otherwise renderers may find another end, or another address within.
  const isAlone = (stop < 0 ? !isCut : /\s/u.test(rest[stop]!)) && !/.(?:\/\/.*\/\/|www\.)/iu.test(url)
  if (toSafeAddress(whole, context.isOurs) !== null) context.out.link(isAlone ? url : `<${whole}>`)
  else if (url.length <= start.length) return pass(feed, context, start.length - 1)
  else showAddress(url, url, context)
  feed.at += url.length
}

/** The authority has no user and no escapes, so that every URL parser finds the same host. */
const form = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:[/?#][^\s<>\\`"|]*)?$/iu

/** The address for a link, or null if it is not allowed. */
function toSafeAddress(address: string, isOurs: (url: URL) => boolean): string | null {
  if (!form.test(address) || !URL.canParse(address) || !isOurs(new URL(address))) return null
  return address.replaceAll('(', '%28').replaceAll(')', '%29')
}

/**
 * Creates a check that allows the hosts of `addresses`: the pages that the answer cites and the project's sources. `folders`: addresses
 * of sources on shared hosts, such as repositories, of which only addresses below are allowed.
 */
export function createIsOurs(addresses: Iterable<string>, folders: string[] = []): (url: URL) => boolean {
  const roots = folders.flatMap((folder) => URL.parse(folder) ?? [])
  const isBelow = (url: URL) => roots.some((root) => url.origin === root.origin && isWithin(url, root))
  const hosts = new Set<string>()
  for (const address of addresses) {
    const url = URL.parse(address)
    if (url !== null && !isBelow(url)) hosts.add(url.host)
  }
  return (url) => hosts.has(url.host) || isBelow(url)
}

/** Rejects escapes that a server might decode to leave the folder. */
function isWithin({ pathname }: URL, root: URL): boolean {
  const folder = root.pathname.replace(/\/+$/, '')
  return (pathname === folder || pathname.startsWith(`${folder}/`)) && !/%(?:2e|2f|5c)/i.test(pathname)
}
