// The title of a passage for readers: as a source, above a quotation, and as a link.
import { declaring, withoutEnd } from '../../crawler/extract/visible.ts'
import type { ModelPassage } from '../model/model.ts'
import type { Passage } from '../search/passage.ts'
import type { ChatSource } from '../store/chat.ts'

/** Labeled from 1 in order. */
export function toModelPassages(passages: Passage[]): (Passage & ModelPassage)[] {
  return passages.map((passage, at) => ({ ...passage, label: at + 1, title: toTitle(passage) }))
}

/** The title in an answer. */
export function toSource({ title, url }: ChatSource, quote?: string): ChatSource {
  return { title: shortTitle(title), url, ...(quote && { quote }) }
}

const maxLength = 70
/** Maximum words of a heading that needs its parent to say what it is about. */
const maxShortWords = 2

/**
 * The section's heading. After a longer one if it is short: `Examples` of `REINDEX` → `REINDEX: Examples`;
 * `Basic usage` of `Examples` of `REINDEX` → `REINDEX: Basic usage`; `Notes` of `tool stop` on the page `tool start` →
 * `tool stop: Notes`. A name of several parts needs no parent. The parent is truncated, never the title.
 */
export function toTitle({ title, pageTitle, path }: Pick<Passage, 'title' | 'pageTitle' | 'path'>): string {
  if (!isShort(title) || title === pageTitle) return title
  const above =
    path.findLast((heading) => heading !== title && !isShort(heading)) ??
    path.find((heading) => heading !== title && isBeside(heading, pageTitle)) ??
    pageTitle
  return above === '' ? title : `${shortTitle(above, maxLength - title.length - 2)}: ${title}`
}

/** Whether it names a sibling of what the page's title names: `tool stop` on the page `tool start`. */
function isBeside(heading: string, pageTitle: string): boolean {
  const words = new Set(pageTitle.toLowerCase().split(/\s+/u))
  const own = heading.toLowerCase().split(/\s+/u)
  return own.some((word) => words.has(word)) && own.some((word) => !words.has(word))
}

function isShort(heading: string): boolean {
  return heading.split(/\s+/u).length <= maxShortWords && /^[\p{L}\p{M}\s'’-]*$/u.test(heading)
}

/** `class Popen(args, …)`, `PyObject *PyList_New(Py_ssize_t len)`, `lower ( text ) → text`: only a signature. */
const signature =
  /^(?<before>(?:[\p{L}\p{N}_]+[ *]+)*)(?<name>@?[\p{L}_$][\p{L}\p{N}_$.:~]*)(?:\(.*\)| \(.*\) →.*)(?:\s*[→-].*)?$/su
/** `gitfaq(7)`, `printf(3p): Format output`: a manual page with its section. */
const manualPage = /^[\p{L}\p{N}_.:+-]+\([1-9][a-z]*\)/u
/** `PyObject`, `size_t`: not a word of prose. */
const typeName = /[_\d]|\p{Ll}\p{Lu}/u

/** Returns the name of a signature: `class Popen(args, …)` → `Popen()`. Truncates other titles to `max` characters. */
export function shortTitle(title: string, max = maxLength): string {
  const line = title.split('\n')[0]!.trim()
  const { before = '', name } = (!manualPage.test(line) && signature.exec(line)?.groups) || {}
  const isDeclared = before
    .split(/[ *]+/u)
    .every((word) => word === '' || declaring.has(word) || typeName.test(word))
  return name !== undefined && isDeclared ? `${name}()` : shorten(withoutEnd(line), max)
}

/** Truncated at a word. */
export function shorten(line: string, max: number): string {
  if (line.length <= max) return line
  const space = line.lastIndexOf(' ', max)
  return `${line.slice(0, space > 0 ? space : max).toWellFormed()}…`
}

/** Escapes Markdown, because titles are text of crawled pages. */
export function toTitleLink({ title, url }: ChatSource): string {
  const address = new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29')
  const shown = title.replace(/\s+/gu, ' ').trim() || address
  return `[${shown.replace(/[\\`*_[\]<>!|~&]/gu, '\\$&')}](${address})`
}
