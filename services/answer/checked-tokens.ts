// Tokens for a client that cannot replace a draft: a citation is sent after its check.
import type { Judge, Pair } from './citation-check.ts'
import { readBlocks } from './sentences.ts'

interface CheckedTokens {
  /** Takes new text of the draft. */
  push(text: string): void
  /** Sends the part of `answer`, the whole text, that the reader does not have. */
  end(answer: string): Promise<void>
}

interface CheckedTokensOptions {
  /** The text that the reader already has when an answer is continued. */
  draft: string
  /** Whether there are citations to be checked. */
  holds: boolean
  /** The checked text of a draft; null: drafts are not checked before their end. */
  check: ((draft: string) => Promise<string>) | null
  /** Called with new text, never empty. */
  send(text: string): void
}

/** Share of the checked text that the next check must add, so that a long answer is not checked a thousand times. */
const minGrowth = 0.1
/** Characters of a line that tell whether it begins a block: `- `, `10. `, `#### `. */
const maxMark = 8

/**
 * Text up to the first bracket is sent at once. The rest waits until its block is complete (a paragraph, an item of a
 * list), because the check reads whole sentences.
 */
export function createCheckedTokens({ draft, holds, check, send }: CheckedTokensOptions): CheckedTokens {
  let text = draft
  /** The end of the draft that is not sent. */
  let rest = ''
  /** Characters that the reader has. */
  let sent = draft.length
  /** Characters of the draft that are checked. */
  let settled = 0
  /** Characters of the draft's last line, with the line break before it. */
  let line = draft.length - draft.lastIndexOf('\n')
  let isHeld = false
  let checking: Promise<void> | null = null

  function show(piece: string) {
    if (piece === '') return
    sent += piece.length
    send(piece)
  }

  /** White space before a citation belongs to it. */
  function pass() {
    const bracket = holds ? rest.search(/[[【]/u) : -1
    isHeld = bracket >= 0
    const piece = (isHeld ? rest.slice(0, bracket) : rest).trimEnd()
    show(piece)
    rest = rest.slice(piece.length)
  }

  async function release(check: (draft: string) => Promise<string>) {
    for (;;) {
      const end = endOfComplete(text, settled)
      if (end <= text.length - rest.length || end - settled < minGrowth * settled) break
      const complete = text.slice(0, end).trimEnd()
      const checked = await check(complete)
      show(checked.slice(sent))
      settled = end
      rest = text.slice(complete.length)
      pass()
    }
  }

  return {
    push(piece) {
      // A block is complete when the first characters of a line begin another block.
      const lineBreak = piece.lastIndexOf('\n')
      const mayBegin = lineBreak >= 0 || line <= maxMark
      line = lineBreak >= 0 ? piece.length - lineBreak : line + piece.length
      text += piece
      rest += piece
      if (!isHeld) pass()
      if (!isHeld || !mayBegin || checking !== null || check === null) return
      checking = release(check).finally(() => {
        checking = null
      })
    },
    async end(answer) {
      await checking
      show(answer.slice(sent))
    },
  }
}

/** Where the last block begins; a block that ends in a colon needs the next one complete, which may be its example. */
function endOfComplete(draft: string, from: number): number {
  const text = draft.slice(from)
  const blocks = readBlocks(text)
  const next = blocks.findLastIndex((_, at) => at > 0 && !/:[^\p{L}:]*$/u.test(blocks[at - 1]!.text))
  return next < 0 ? from : from + text.lastIndexOf('\n', blocks[next]!.start) + 1
}

/** A judge that receives each pair only once. */
export function rememberObjections(judge: Judge): Judge {
  const passages: Pair['passage'][] = []
  const known = new Map<string, string | null>()
  const toKey = ({ claim, passage }: Pair) => {
    if (!passages.includes(passage)) passages.push(passage)
    return `${passages.indexOf(passage)} ${claim.kind} ${claim.text}`
  }
  return {
    ...judge,
    async toObjections(pairs, signal) {
      const asked = pairs.filter((pair) => !known.has(toKey(pair)))
      const objections = await judge.toObjections(asked, signal)
      for (const [at, pair] of asked.entries()) known.set(toKey(pair), objections[at]!)
      return pairs.map((pair) => known.get(toKey(pair))!)
    },
  }
}
