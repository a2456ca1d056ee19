// Parses inline Markdown: emphasis, code, links, breaks. One pass, in linear time.

export type Inline =
  | { type: 'text'; text: string }
  /** An escaped character: `\[`. */
  | { type: 'escape'; text: string }
  | { type: 'code'; text: string }
  | { type: 'break' }
  | { type: 'link'; href: string; children: Inline[] }
  | { type: 'image'; children: Inline[] }
  | { type: 'strong' | 'em' | 'del'; children: Inline[]; depth: number }

/** A run of `*`, `_` or `~` that may open emphasis. */
interface Opener {
  /** Position of its text in the output. */
  at: number
  mark: string
  count: number
  /** Length of the run before any of it was used. */
  length: number
  canClose: boolean
}

interface Bracket {
  at: number
  isImage: boolean
}

/** Deeper emphasis stays text. */
const maxDepth = 40
const punctuation = /[\p{P}\p{S}]/u
const special = /[\\`<![\]*_~\n]/g
const escaped = /[!-/:-@[-`{-~]/
/** A web address, or an e-mail address, which stays text. */
const autolink = /<(https?:\/\/[^\s<>]*|[^\s<>@]{1,64}@[^\s<>@]{1,255})>/y
/** `(address "title")`. White space is bounded to keep the time linear. */
const target =
  /\([ \n]{0,9}(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:[ \n]{1,9}(?:"[^"]*"|'[^']*'))?[ \n]{0,9}\)/y

export function readInline(text: string): Inline[] {
  const out: Inline[] = []
  let openers: Opener[] = []
  let brackets: Bracket[] = []
  /** Lengths of backtick runs that have no closing run after this position. */
  const unclosed = new Set<number>()
  let at = 0

  const push = (piece: string) => {
    if (piece !== '') out.push({ type: 'text', text: piece })
  }
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }

  function takeCode() {
    const run = match(/`+/y)![0]
    const start = at + run.length
    at = start
    if (unclosed.has(run.length)) return push(run)
    const closing = new RegExp(`(?<!\`)\`{${run.length}}(?!\`)`, 'g')
    closing.lastIndex = start
    const end = closing.exec(text)?.index
    if (end === undefined) {
      unclosed.add(run.length)
      return push(run)
    }
    const code = text.slice(start, end).replaceAll('\n', ' ')
    const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    out.push({ type: 'code', text: isPadded ? code.slice(1, -1) : code })
    at = end + run.length
  }

  function closeBracket() {
    at += 1
    const bracket = brackets.pop()
    const found = bracket && match(target)
    if (!bracket || !found) return push(']')
    at += found[0].length
    const children = out.splice(bracket.at).slice(1)
    openers = openers.filter((opener) => opener.at < bracket.at)
    if (bracket.isImage) return out.push({ type: 'image', children: join(children) })
    // Links cannot contain links.
    brackets = brackets.filter(({ isImage }) => isImage)
    const href = (found[1] ?? found[2] ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1')
    return out.push({ type: 'link', href, children: join(children) })
  }

  function takeEmphasis(mark: string) {
    const length = match(/\*+|_+|~+/y)![0].length
    const before = text[at - 1] ?? ' '
    const after = text[at + length] ?? ' '
    const [isSpaceBefore, isSpaceAfter] = [/\s/.test(before), /\s/.test(after)]
    const [isMarkBefore, isMarkAfter] = [punctuation.test(before), punctuation.test(after)]
    const opens = !isSpaceAfter && (!isMarkAfter || isSpaceBefore || isMarkBefore)
    const closes = !isSpaceBefore && (!isMarkBefore || isSpaceAfter || isMarkAfter)
    const canOpen = mark === '_' ? opens && (!closes || isMarkBefore) : opens
    const canClose = mark === '_' ? closes && (!opens || isMarkAfter) : closes
    at += length
    let count = length
    if (mark === '~' && length > 2) return push(mark.repeat(length))
    if (canClose) count = close(mark, length, canOpen)
    if (count === 0) return
    if (canOpen) openers.push({ at: out.length, mark, count, length, canClose })
    push(mark.repeat(count))
  }

  /** Closes openers with the run. Returns how much of the run is left. */
  function close(mark: string, length: number, canOpen: boolean): number {
    let count = length
    while (count > 0) {
      const index = openers.findLastIndex((each) => each.mark === mark && fits(each, length, canOpen))
      const opener = openers[index]
      if (!opener) {
        // Openers that this run cannot close, an equal run cannot close either.
        if (!canOpen) openers = openers.filter((each) => each.mark !== mark || each.length % 3 !== 0)
        return count
      }
      const used = mark === '~' ? length : Math.min(2, count, opener.count)
      const children = join(out.splice(opener.at + 1))
      const depth = 1 + Math.max(0, ...children.map((child) => ('depth' in child ? child.depth : 0)))
      openers.length = index + 1
      opener.count -= used
      count -= used
      out.pop()
      if (opener.count > 0) push(mark.repeat(opener.count))
      else openers.pop()
      brackets = brackets.filter((bracket) => bracket.at < out.length)
      const type = mark === '~' ? 'del' : used === 2 ? 'strong' : 'em'
      if (depth > maxDepth) {
        const literal: Inline = { type: 'text', text: mark.repeat(used) }
        out.push(literal, ...children, literal)
      } else out.push({ type, children, depth })
    }
    return 0
  }

  while (at < text.length) {
    special.lastIndex = at
    const next = special.exec(text)?.index ?? text.length
    push(text.slice(at, next))
    at = next
    const character = text[at]
    if (character === undefined) break
    if (character === '\\') {
      const after = text[at + 1] ?? ''
      if (after === '\n') out.push({ type: 'break' })
      else if (escaped.test(after)) out.push({ type: 'escape', text: after })
      else push('\\')
      at += after === '\n' || escaped.test(after) ? 2 : 1
    } else if (character === '`') takeCode()
    else if (character === '<') {
      const found = match(autolink)
      const address = found?.[1]
      if (address) out.push({ type: 'link', href: address, children: [{ type: 'escape', text: address }] })
      else push('<')
      at += found?.[0].length ?? 1
    } else if (character === '!' || character === '[') {
      const isImage = character === '!'
      const opens = !isImage || text[at + 1] === '['
      if (opens) brackets.push({ at: out.length, isImage })
      push(opens && isImage ? '![' : character)
      at += opens && isImage ? 2 : 1
    } else if (character === ']') closeBracket()
    else if (character === '\n') {
      const last = out.at(-1)
      const isBreak = last?.type === 'text' && last.text.endsWith('  ')
      if (last?.type === 'text') last.text = last.text.trimEnd()
      if (isBreak) out.push({ type: 'break' })
      else push('\n')
      at += 1
    } else takeEmphasis(character)
  }
  return join(out)
}

function fits(opener: Opener, length: number, canOpen: boolean): boolean {
  if (opener.mark === '~') return opener.length === length
  const isDoubtful = opener.canClose || canOpen
  return !(isDoubtful && (opener.length + length) % 3 === 0 && (opener.length % 3 !== 0 || length % 3 !== 0))
}

/** Joins neighboring texts: `[`, `1`, `]` is a citation. */
function join(list: Inline[]): Inline[] {
  const joined: Inline[] = []
  for (const each of list) {
    const last = joined.at(-1)
    if (each.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: last.text + each.text }
    } else joined.push(each)
  }
  return joined
}
