// The text of a unit that is turned into a vector: what it belongs to, what it is called and how it begins. Short, for
// an endpoint on a small machine embeds some thousand words a second: what a section is about stands at its beginning.
import { createHash } from 'node:crypto'
import { collapse } from '../../crawler/extract/outline.ts'
import { cutText } from '../../crawler/extract/page.ts'
import type { Unit } from './search-index.ts'

/** Characters of title, path and heading together. */
const maxHead = 200
/** Maximum characters; a definition says what it is in its first sentence. */
const maxText = { heading: 500, definition: 250 }

/**
 * `threading › Semaphore Objects › Semaphore Example`, then the beginning of the text, white space made one space.
 * Never empty: a unit without names and text has its address.
 */
export function toEmbeddedText({
  kind,
  url,
  pageTitle,
  path,
  heading,
  text,
}: Pick<Unit, 'kind' | 'url' | 'pageTitle' | 'path' | 'heading' | 'text'>): string {
  const max = maxText[kind]
  const names = [...new Set([pageTitle, ...path, heading])].filter((name) => name !== '')
  const head = cutText(names.join(' › '), maxHead)
  return cutText(`${head}\n${collapse(text.slice(0, 4 * max))}`, max).trim() || url
}

/** SHA-256, hex: what a vector is kept by. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
