// Citations that quote their passage. A model writes `[1: "exact words"]`, or its provider cites for it; the answer gets `[1]`,
// and the words are kept beside it to be looked for in the passage.

import { shorten } from './titles.ts'

/** The words that citations quote, by citation: `[1]` and how often `[1]` stands in the answer up to it. */
export type Quotes = Map<string, string>

/** The key of the last `[label]` of a text. */
export function toQuoteKey(label: number, text: string): string {
  return `${label} ${text.split(`[${label}]`).length - 1}`
}

/** Characters of a construct that is waited for; beyond it, it is none. */
const maxHeld = 1_000
const quotes = `"“”„«»'‘’\`「」`
/** A line that may become a fence, and one that is. */
const mayBeFence = /^[ \t>*+\-\d.)]*(?:[`~]{0,2}|`{3,}[^`]*|~{3,}.*)$/u
const fenceLine = /^[ \t>*+\-\d.)]*(`{3,}(?=[^`]*$)|~{3,})/u
const mayBeQuoted = /^\[\^?\d{0,3}\s{0,2}:?\s{0,2}$/u
const opening = new RegExp(String.raw`^\[\^?\d{1,3}\s{0,2}:\s{0,2}[${quotes}]`, 'u')
const whole = new RegExp(String.raw`^\[(\^?\d{1,3}\s*:\s*[${quotes}](?:(?!\n\n)[^])+?[${quotes}])\s*\]`, 'u')
const part = new RegExp(
  String.raw`\^?(?<label>\d{1,3})\s*:\s*[${quotes}](?<quote>.+?)(?:[${quotes}]\s*[,;]\s*(?=\^?\d{1,3}\s*:\s*[${quotes}])|[${quotes}]?\s*$)`,
  'gsu',
)

/**
 * Takes an answer piece by piece, and lets it out with `[1]` for each citation that quotes. No word of a quotation is let out,
 * however the answer is cut. Code stays as it is.
 *
 *   "Is so [1: \"It" " is so.\"]. More"  →  "Is so " "[1]. More", and "It is so." in `quotes`
 */
export function createQuotedCitations(quotes: Quotes, draft = '') {
  let out = draft
  let held = ''
  let atLineStart = true
  let fence: string | null = null
  const waiting: [label: number, quote: string][] = []

  function mark(label: number, quote: string): string {
    quotes.set(toQuoteKey(label, `${out}[${label}]`), quote)
    return `[${label}]`
  }

  /** The next piece to be let out; null while it may become another with more text. */
  function take(isLast: boolean): string | null {
    const isWhole = isLast || held.length > maxHeld
    const lineEnd = held.indexOf('\n')
    const line = lineEnd < 0 ? held : held.slice(0, lineEnd)
    if (atLineStart) {
      if (lineEnd < 0 && !isWhole && mayBeFence.test(line)) return null
      atLineStart = false
      const found = fenceLine.exec(line)?.[1]
      const closes = fence !== null && found?.startsWith(fence) === true && line.trim().endsWith(found)
      if (found !== undefined && (fence === null || closes)) {
        fence = closes ? null : found
        return line
      }
    }
    if (held[0] === '\n') {
      atLineStart = true
      return '\n'
    }
    if (fence !== null) return line
    if (held[0] === '`') return takeCode(line, isWhole || lineEnd >= 0)
    if (held[0] === '[') return takeCitation(isWhole)
    return line.slice(0, Math.max(0, line.search(/[`[]/u)) || line.length)
  }

  /** Code within the line, or marks that nothing closes; nor does one that stands within a quotation. */
  function takeCode(line: string, isWhole: boolean): string | null {
    const [ticks] = /^`+/u.exec(line)!
    const rest = line.slice(ticks.length)
    const end = rest.search(new RegExp(`(?<!\`)${ticks}(?!\`)`, 'u'))
    if (!isWhole && (end < 0 || end + ticks.length === rest.length)) return null
    const code = end < 0 ? ticks : line.slice(0, end + 2 * ticks.length)
    const cited = code.search(/\[\^?\d{1,3}\s*:\s*["“]/u)
    return cited >= 0 && !whole.test(code.slice(cited)) ? ticks : code
  }

  function takeCitation(isWhole: boolean): string | null {
    if (!opening.test(held)) return mayBeQuoted.test(held) && !isWhole ? null : '['
    const found = whole.exec(held)
    if (!found && !isWhole && !held.includes('\n\n')) return null
    // One that nothing closes ends at the next bracket, or with the paragraph.
    const text = found?.[0] ?? /^(?:(?!\n\n)[^\]])*\]?/u.exec(held)![0]
    const inside = found?.[1] ?? text.replace(/^\[|\]$/gu, '')
    held = held.slice(text.length)
    const parts = [...inside.matchAll(part)]
    if (parts.length === 0) return mark(Number.parseInt(inside.replace('^', ''), 10), '')
    let marks = ''
    for (const { groups } of parts) {
      const own = mark(Number(groups!.label), groups!.quote!.trim())
      out += own
      marks += own
    }
    out = out.slice(0, -marks.length)
    return marks
  }

  function letOut(isLast: boolean): string {
    const before = out.length
    while (held !== '') {
      const length = held.length
      const piece = take(isLast)
      if (piece === null) break
      // A citation has left `held` already, with its words.
      if (held.length === length) held = held.slice(piece.length)
      out += piece
      if (fence === null) out += citeWaiting()
    }
    return out.slice(before)
  }

  function citeWaiting(): string {
    return waiting
      .splice(0)
      .map(([label, quote]) => cite(label, quote))
      .join('')
  }

  /** A citation behind code stands below it. */
  function cite(label: number, quote: string): string {
    const isBelow = fenceLine.test(out.slice(out.trimEnd().lastIndexOf('\n') + 1))
    const space = isBelow ? '\n\n' : /[\s\]]$|^$/u.test(out) ? '' : ' '
    return `${space}${mark(label, quote)}${isBelow ? '\n\n' : ''}`
  }

  return {
    push(text: string): string {
      held += text
      return letOut(false)
    },
    /** A citation by the provider, of the text so far. Code that is open is ended first. */
    cite(label: number, quote: string): string {
      const text = letOut(true)
      if (fence !== null) {
        waiting.push([label, quote])
        return text
      }
      const cited = cite(label, quote)
      out += cited
      return text + cited
    },
    end(): string {
      return letOut(true)
    },
  }
}

/** What quotations may differ in: white space, marks of Markdown, and the shape of quotation marks. */
const ignored = /[\s`*|\\"“”„«»'‘’]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<!\S)[-#>~+]+(?!\S)/gu
/** Both sides of a place within a word or a number: `3|0`. */
const cutWord = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{2}$/u
/** Of a quotation that is shown. */
const maxQuote = 300

/** By passage: an answer that grows is checked again and again. */
const read = new WeakMap<{ text: string }, ReturnType<typeof withoutIgnored>>()

/** As the passage has the words, on one line; null where it does not hold them. */
export function findQuote(passage: { text: string }, quote: string): string | null {
  const { text } = passage
  const { bare, places } = read.get(passage) ?? withoutIgnored(text)
  if (!read.has(passage)) read.set(passage, { bare, places })
  const wanted = withoutIgnored(quote).bare.replace(/[.,;:…]+$/u, '')
  let at = wanted === '' ? -1 : bare.indexOf(wanted)
  const isCut = (place: number) => cutWord.test(text.slice(place - 1, place + 1))
  while (at >= 0 && (isCut(places[at]!) || isCut(places[at + wanted.length - 1]! + 1))) {
    at = bare.indexOf(wanted, at + 1)
  }
  if (at < 0) return null
  const end = places[at + wanted.length - 1]! + 1
  const found = text.slice(places[at], end) + (/^[.!?。！？]/u.exec(text.slice(end, end + 1))?.[0] ?? '')
  const shown = found.replace(/^[`~]{3,}$/gmu, '').replace(/\s+/gu, ' ')
  return shorten(shown, maxQuote)
}

/** `places`: where in the text each character stands. */
function withoutIgnored(text: string): { bare: string; places: number[] } {
  let bare = ''
  const places: number[] = []
  let from = 0
  for (const { index, 0: mark } of [...text.matchAll(ignored), { index: text.length, 0: '' }]) {
    for (let at = from; at < index; at++) places.push(at)
    bare += text.slice(from, index)
    from = index + mark.length
  }
  return { bare, places }
}
