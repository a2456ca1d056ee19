// What the sanitizer lets out (safe-text.ts), with guards on characters that would make a construct of what stands
// beside them: after something was taken out, two harmless halves must not become one whole.

export interface SafeOutput {
  /** Prose. Guarded. */
  text(piece: string): void
  /** Inline code, with its marks. */
  code(marked: string): void
  /** A link of ours, judged as a whole. */
  link(marked: string): void
  /** Part of a code block, as it is. */
  block(piece: string): void
  /** The last characters that went out, for looking back. */
  tail(): string
  /** What went out since the last call. */
  take(): string
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
export function createSafeOutput(): SafeOutput {
  let taken = ''
  let tail = ''
  let inHead = true
  let mayDefine = false

  function put(piece: string) {
    if (piece === '') return
    taken += piece
    tail = (tail + piece).slice(-tailLength)
    if (!inHead && !piece.includes('\n')) return
    for (const line of piece.split(/(?<=\n)/u)) lookAt(line)
  }

  /** A definition can only begin a paragraph; its label may go on for lines. */
  function lookAt(line: string) {
    if (inHead) {
      const first = [...line].find((character) => !container.test(character))
      if (first !== undefined) {
        inHead = false
        if (first === '[') mayDefine = true
      }
    }
    if (!line.endsWith('\n')) return
    if (inHead) mayDefine = false
    inHead = true
  }

  return {
    text(piece) {
      if (!special.test(piece)) return put(piece)
      for (const [part] of piece.matchAll(guarded)) {
        if (part === '(' && tail.endsWith(']')) put(' (')
        else if (part === ':' && mayDefine && tail.endsWith(']')) put(' :')
        else if (part === '/' && /(?:https?|ftp):\/$/iu.test(tail)) put('&#47;')
        else if (part === '.' && /www$/iu.test(tail)) put('&#46;')
        else if (part === '~' && tail.endsWith('~~')) put('\\~')
        else put(part)
      }
    },
    code(marked) {
      // A mark beside it would be read with it.
      put(/[\\`]$/u.test(tail) ? ` ${marked}` : marked)
    },
    link(marked) {
      put(/[\\!]$/u.test(tail) ? ` ${marked}` : marked)
    },
    block: put,
    tail: () => tail,
    take() {
      const all = taken
      taken = ''
      return all
    },
  }
}
