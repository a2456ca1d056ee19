// What the parts of the sanitizer hand each other (safe-text.ts).
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

/** Lets out `length` characters as prose. */
export function pass(feed: Feed, { out }: InlineContext, length = 1): true {
  out.text(feed.text.slice(feed.at, feed.at + length))
  feed.at += length
  return true
}
