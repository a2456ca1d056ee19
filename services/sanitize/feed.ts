// The text of an answer that is not output yet.

/** Thrown if more text may continue the construct at the end. The scan then restarts with more text. Thrown before any change. */
export const needsMore = Symbol('needs more')

export const maxLineStart = 200

export class Feed {
  /** Text not yet output, from `at` on. */
  text = ''
  at = 0
  /** Whether the text is complete. */
  ended = false

  /** The character at a position; empty after the end. */
  char(at: number): string {
    this.needsMoreIf(at >= this.text.length)
    return this.text[at] ?? ''
  }

  needsMoreIf(condition: boolean) {
    if (condition && !this.ended) throw needsMore
  }

  /** The start of the line, and whether it is complete. */
  lineStart(): { start: string; isWhole: boolean } {
    const start = this.text.slice(this.at, this.at + maxLineStart)
    return { start, isWhole: this.ended || start.length === maxLineStart || start.includes('\n') }
  }

  /** The rest of the line, at most `max` characters, and whether it is complete. */
  restOfLine(max: number): { rest: string; isWhole: boolean } {
    const [rest] = this.text.slice(this.at, this.at + max).split('\n') as [string]
    const end = this.at + rest.length
    return { rest, isWhole: this.ended || rest.length === max || end < this.text.length }
  }

  /** Replaces a construct by text that is scanned next. */
  replace(end: number, text: string) {
    this.text = text + this.text.slice(end)
    this.at = 0
  }
}
