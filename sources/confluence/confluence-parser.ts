// Work for Confluence in the parse threads: reads API responses, and converts pages from storage format to HTML with Confluence's heading
// anchors. Storage format is XHTML with Confluence's own elements, CDATA and HTML entities, without a root element.

import { decodeHTML } from 'entities'
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import { SaxesParser } from 'saxes'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { createNumbering, extractHtmlDocument } from '../html-page.ts'
import type { ParsedDocument, SourceParser } from '../source-type.ts'
import { readBodies, readPages, readSpace } from './answers.ts'
import type { EditionName } from './client.ts'

export const confluenceParser: SourceParser = {
  parse({ url, body }: ParsedDocument): ExtractedPage {
    const page = JSON.parse(new TextDecoder().decode(body)) as StoredPage
    const { title } = page
    const html = toHtml(page)
    if (!hasText(html)) return { ...extractHtmlDocument({ title, body: '' }, url), sections: [] }
    // Otherwise its first heading would become the title.
    return extractHtmlDocument({ title, body: `<h1>${escapeHtml(title)}</h1>${html}` }, url)
  },
  tasks: {
    space: readSpace,
    pages: readPages,
    bodies: readBodies,
    includes: listIncludes,
  },
}

const hasText = (html: string) => html.replace(/<[^>]*>/g, '').trim() !== ''

/** A page from the reader, as JSON. */
export interface StoredPage {
  title: string
  storage: string
  edition: EditionName
  /** Title and storage format of pages that it includes. */
  included: [string, string][]
}

/** Limits per page: includes at all levels, and the characters of storage format that they add. */
const maxIncludes = 50
const maxIncluded = 5_000_000
const maxIncludeDepth = 5

interface Context {
  included: Map<string, string>
  anchor(heading: string): string
  /** Titles of the pages that are being included. */
  within: string[]
  left: { includes: number; characters: number }
}

type Convert = (element: StorageElement, context: Context) => string

export function toHtml({ title, storage, edition, included }: StoredPage): string {
  const context: Context = {
    included: new Map(included),
    anchor: createAnchors(edition, title),
    within: [title],
    left: { includes: maxIncludes, characters: maxIncluded },
  }
  return convertAll(readStorage(storage).children, context)
}

/** Unique titles of the pages in the same space that a page includes. */
function listIncludes(storage: string): string[] {
  const titles = listElements(readStorage(storage)).filter(isInclude).map(readIncludedTitle)
  return [...new Set(titles)].filter((title) => title !== null)
}

/** Cloud: `First-steps`. Data Center: `TheGuide-Firststeps`. The second heading of a name gets `.1`. */
function createAnchors(edition: EditionName, title: string): (heading: string) => string {
  const number = createNumbering('.')
  const withoutSpace = (text: string) => text.replace(/\s+/g, '')
  if (edition === 'cloud') return (heading) => number(heading.replace(/\s/g, '-'))
  return (heading) => number(`${withoutSpace(title)}-${withoutSpace(heading)}`)
}

const convertAll = (nodes: StorageNode[], context: Context): string =>
  nodes.map((node) => (isElement(node) ? convert(node, context) : escapeHtml(node))).join('')

const inner: Convert = ({ children }, context) => convertAll(children, context)
const nothing: Convert = () => ''
const inside =
  (tag: string): Convert =>
  (element, context) =>
    `<${tag}>${inner(element, context)}</${tag}>`

/** HTML elements to keep. */
const htmlTags = new Set(
  `p ul ol li table thead tbody tfoot tr td th caption pre code blockquote strong b em i u s del ins sub sup small big span div
   a dl dt dd br hr tt kbd samp var cite q`.split(/\s+/),
)
const keptAttributes = ['href', 'style']

function convert(element: StorageElement, context: Context): string {
  const { name, attributes } = element
  const own = elements[name]
  if (own !== undefined) return own(element, context)
  if (/^h[1-6]$/.test(name)) return convertHeading(element, context)
  if (!htmlTags.has(name)) return inner(element, context)
  const kept = keptAttributes
    .filter((key) => attributes[key] !== undefined)
    .map((key) => ` ${key}="${escapeHtml(attributes[key] as string)}"`)
  const start = `<${name}${kept.join('')}>`
  return name === 'br' || name === 'hr' ? start : `${start}${inner(element, context)}</${name}>`
}

function convertHeading(element: StorageElement, context: Context): string {
  const html = inner(element, context)
  const heading = readText(element).trim()
  const id = heading === '' ? '' : ` id="${escapeHtml(context.anchor(heading))}"`
  return `<${element.name}${id}>${html}</${element.name}>`
}

const elements: Record<string, Convert> = {
  __proto__: null as never,
  'ac:structured-macro': convertMacro,
  'ac:macro': convertMacro,
  'ac:link': convertLink,
  'ac:task-list': inside('ul'),
  'ac:task': inside('li'),
  'ac:layout-section': inside('div'),
  'ac:layout-cell': inside('div'),
  'ac:emoticon': ({ attributes }) => escapeHtml(attributes['ac:emoji-fallback'] ?? ''),
  time: ({ attributes }) => escapeHtml(attributes.datetime ?? ''),
  ...Object.fromEntries(
    // Not text for readers, or repeated text.
    `ac:image ac:parameter ac:default-parameter ac:task-id ac:task-uuid ac:task-status ac:placeholder ac:adf-attribute ac:adf-fallback
     ac:adf-parameter script style title head iframe`
      .split(/\s+/)
      .map((name) => [name, nothing]),
  ),
}

function convertLink(element: StorageElement, context: Context): string {
  const body = findChild(element, 'ac:link-body', 'ac:plain-text-link-body')
  const target =
    element.children.filter(isElement).find(({ name }) => name.startsWith('ri:'))?.attributes ?? {}
  const targetName = target['ri:content-title'] ?? target['ri:filename'] ?? target['ri:space-key']
  const text = body ? inner(body, context) : escapeHtml(targetName ?? element.attributes['ac:anchor'] ?? '')
  // The target does not matter: links are not followed, because the space lists all pages.
  return targetName === undefined ? text : `<a href="?">${text}</a>`
}

function convertMacro(element: StorageElement, context: Context): string {
  const macro = macros[element.attributes['ac:name'] ?? '']
  return (macro ?? convertBody)(element, context)
}

/** Converts title and body. A macro without a body, such as a table of contents, only repeats other text. */
const convertBody: Convert = (macro, context) => {
  const rich = findChild(macro, 'ac:rich-text-body')
  if (rich !== undefined) return `${convertTitle(macro)}<div>${inner(rich, context)}</div>`
  return findChild(macro, 'ac:plain-text-body') ? convertCode(macro, context) : ''
}

const convertCode: Convert = (macro) => {
  const body = findChild(macro, 'ac:plain-text-body')
  const language = readParameter(macro, 'language')
  const languageClass = language === '' ? '' : ` class="language-${escapeHtml(language)}"`
  return `${convertTitle(macro)}<pre><code${languageClass}>${escapeHtml(body ? readText(body) : '')}</code></pre>`
}

function convertTitle(macro: StorageElement): string {
  const title = readParameter(macro, 'title')
  return title === '' ? '' : `<p>${escapeHtml(title)}</p>`
}

const unlessHidden: Convert = (macro, context) =>
  readParameter(macro, 'hidden') === 'true' ? '' : convertBody(macro, context)

/** Macros that need more than their title and body. */
const macros: Record<string, Convert> = {
  __proto__: null as never,
  status: (macro) => escapeHtml(readParameter(macro, 'title')),
  jira: (macro) => escapeHtml(readParameter(macro, 'key')),
  excerpt: unlessHidden,
  details: unlessHidden,
  include: (macro, context) => includePage(macro, context, (root) => root.children),
  'excerpt-include': (macro, context) =>
    includePage(macro, context, (root) => findExcerpt(root, readParameter(macro, 'name'))),
  // Their bodies are code that browsers run.
  html: nothing,
  style: nothing,
}

function isInclude({ attributes }: StorageElement): boolean {
  const name = attributes['ac:name']
  return name === 'include' || name === 'excerpt-include'
}

/** Returns null if the page is in another space or has no name. */
function readIncludedTitle(macro: StorageElement): string | null {
  const pages = listElements(macro).filter(({ name }) => name === 'ri:page')
  const own = pages.filter(({ attributes }) => attributes['ri:space-key'] === undefined)
  return (
    own.map(({ attributes }) => attributes['ri:content-title']).find((title) => title !== undefined) ?? null
  )
}

function includePage(
  macro: StorageElement,
  context: Context,
  choose: (root: StorageElement) => StorageNode[],
): string {
  const { within, included, left } = context
  const title = readIncludedTitle(macro)
  const storage = title === null ? undefined : included.get(title)
  if (title === null || storage === undefined) return ''
  if (within.includes(title) || within.length > maxIncludeDepth) return ''
  if (left.includes < 1 || left.characters < storage.length) return ''
  left.includes -= 1
  left.characters -= storage.length
  const nodes = choose(readStorage(storage))
  return `<div>${convertAll(nodes, { ...context, within: [...within, title] })}</div>`
}

/** The page's excerpt of that name, else its first. */
function findExcerpt(root: StorageElement, name: string): StorageNode[] {
  const excerpts = listElements(root)
    .filter(({ attributes }) => attributes['ac:name'] === 'excerpt')
    .filter((element) => name === '' || readParameter(element, 'name') === name)
  const bodies = excerpts.map((element) => findChild(element, 'ac:rich-text-body'))
  return bodies.find((body) => body !== undefined)?.children ?? []
}

/** The element and all its descendants, in document order. */
function listElements(element: StorageElement, found: StorageElement[] = []): StorageElement[] {
  found.push(element)
  for (const child of element.children) if (isElement(child)) listElements(child, found)
  return found
}

interface StorageElement {
  name: string
  attributes: Record<string, string>
  children: StorageNode[]
}

type StorageNode = StorageElement | string

/** Deeper elements become children at this depth. */
const maxDepth = 200

/** The HTML entities. Documents cannot declare others. */
const htmlEntities: Record<string, string> = new Proxy(Object.create(null), {
  get(_, name) {
    const entity = `&${String(name)};`
    const text = decodeHTML(entity)
    return text === entity ? undefined : text
  },
})

/** Accepts any text. Skips malformed XML. */
function readStorage(storage: string): StorageElement {
  const root: StorageElement = { name: 'root', attributes: {}, children: [] }
  const open = [root]
  const top = () => open[Math.min(open.length, maxDepth) - 1] as StorageElement
  const parser = new SaxesParser()
  parser.ENTITIES = htmlEntities
  parser.on('error', () => {})
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [] }
    top().children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    if (open.length > 1) open.pop()
  })
  parser.on('text', (text) => top().children.push(text))
  parser.on('cdata', (text) => top().children.push(text))
  parser.write('<root>').write(storage).write('</root>').close()
  return root
}

const isElement = (node: StorageNode): node is StorageElement => typeof node !== 'string'

function findChild(element: StorageElement, ...names: string[]): StorageElement | undefined {
  return element.children.filter(isElement).find(({ name }) => names.includes(name))
}

function readText(node: StorageNode): string {
  return isElement(node) ? node.children.map(readText).join('') : node
}

/** The value of a macro's parameter, or ''. */
function readParameter(macro: StorageElement, parameter: string): string {
  const found = macro.children
    .filter(isElement)
    .find(({ name, attributes }) => name === 'ac:parameter' && (attributes['ac:name'] ?? '') === parameter)
  return found === undefined ? '' : readText(found).trim()
}
