// What the sanitizer reads and what it lets out. The output guards characters that would make a construct of what stands
// beside them: after something was taken out, two harmless halves must not become one whole.

/** Thrown where what the text ends in may be continued: the scan begins again with more. Nothing is changed before it. */
export const needsMore = Symbol('needs more')

export const maxLineStart = 200

export class Feed {
  /** Not yet let out, from `at` on. */
  text = ''
  at = 0
  /** Whether no more comes. */
  ended = false

  /** The character at a place; empty after the last. */
  char(at: number): string {
    this.needsMoreIf(at >= this.text.length)
    return this.text[at] ?? ''
  }

  needsMoreIf(condition: boolean) {
    if (condition && !this.ended) throw needsMore
  }

  /** The beginning of a line, and whether that is all there will be of it. */
  lineStart(): { start: string; isWhole: boolean } {
    const start = this.text.slice(this.at, this.at + maxLineStart)
    return { start, isWhole: this.ended || start.length === maxLineStart || start.includes('\n') }
  }

  /** Puts other text in place of a construct, to be read next. */
  replace(end: number, text: string) {
    this.text = text + this.text.slice(end)
    this.at = 0
  }
}

const tailLength = 16
/** What may stand before a link definition: white space, quotes and list marks. */
const container = /[\s>*+\-.)\d]/u
const special = /[(:/.~\n]/u
const guarded = /[(:/.~\n]|[^(:/.~\n]+/gu

/**
 * `[a]` + `(b)` → `[a] (b)`, no link. At a paragraph's start `[a]` + `: b` → `[a] : b`, no definition.
 * `http:/` + `/b` and `www` + `.b`, joined out of parts → with a character reference, no link of its own.
 * `~~` + `~` → `~~\~`, no block of code.
 */
export class SafeOutput {
  /** The last characters that went out, for looking back. */
  tail = ''
  #taken = ''
  #inHead = true
  #mayDefine = false

  /** Prose. Guarded. */
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

  /** Inline code, with its marks: one beside it would be read with it. */
  code(marked: string) {
    this.block(/[\\`]$/u.test(this.tail) ? ` ${marked}` : marked)
  }

  /** A link of ours, judged as a whole. */
  link(marked: string) {
    this.block(/[\\!]$/u.test(this.tail) ? ` ${marked}` : marked)
  }

  /** Part of a code block, as it is. */
  block(piece: string) {
    if (piece === '') return
    this.#taken += piece
    this.tail = (this.tail + piece).slice(-tailLength)
    if (!this.#inHead && !piece.includes('\n')) return
    for (const line of piece.split(/(?<=\n)/u)) this.#lookAt(line)
  }

  /** What went out since the last call. */
  take(): string {
    const all = this.#taken
    this.#taken = ''
    return all
  }

  /** A definition can only begin a paragraph; its label may run over lines. */
  #lookAt(line: string) {
    if (this.#inHead) {
      const first = [...line].find((character) => !container.test(character))
      if (first !== undefined) {
        this.#inHead = false
        if (first === '[') this.#mayDefine = true
      }
    }
    if (!line.endsWith('\n')) return
    if (this.#inHead) this.#mayDefine = false
    this.#inHead = true
  }
}
