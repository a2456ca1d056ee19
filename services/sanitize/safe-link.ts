// Links, images, HTML and bare addresses in an answer (safe-text.ts): what leads elsewhere becomes its text.
import { toSafeAddress } from './safe-address.ts'
import { type Feed, type InlineContext, pass } from './safe-feed.ts'

const longestLabel = 300
const longestAddress = 1_000
const deepestLabel = 4

const addressStart = /(?:https?|ftp):\/\/|www\./iuy
const addressStarts = ['http://', 'https://', 'ftp://', 'www.']
const addressEnd = /[\s<>`|[\]\\"]/u
const trailing = /[.,;:!?'")*_~]+$/u

export function scanImage(feed: Feed, context: InlineContext): boolean {
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

export function scanLink(feed: Feed, context: InlineContext): boolean {
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

/** `<https://…>` is a link, `<br>` a gap; any other `<` that could begin HTML is escaped. */
export function scanAngle(feed: Feed, context: InlineContext): boolean {
  const { text, at, ended } = feed
  const next = text[at + 1]
  if (next === undefined && !ended) return false
  if (next !== undefined && /[\s\d=]/u.test(next)) return pass(feed, context)
  const rest = text.slice(at + 1, at + 1 + longestAddress)
  if (/^br? *\/?$/iu.test(rest) && !ended) return false
  const lineBreak = /^br *\/?>/iu.exec(rest)?.[0]
  if (lineBreak !== undefined) {
    context.out.text(' ')
    feed.at += 1 + lineBreak.length
    return true
  }
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
export function scanAddress(feed: Feed, context: InlineContext): boolean {
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
