// Converts Markdown, MDX, AsciiDoc and notebooks to HTML, with the heading anchors of their hosts.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import MarkdownIt from 'markdown-it'
import { parse } from 'yaml'
import type { ExtractedPage } from '../crawler/extract/page.ts'
import { createSlugs, extractHtmlDocument } from './html-page.ts'

const markdown = new MarkdownIt({ html: true, maxNesting: Number.POSITIVE_INFINITY })
// Safe, because only the text of links is used.
markdown.validateLink = () => true
// Comments of MDX, which some sites also have in `.md`: `{/* … */}`. Bounded, so that unclosed ones take linear time.
const comment = /\{\/\*([\s\S]{0,500}?)\*\/\}/y
const comments = new RegExp(comment, 'g')
markdown.inline.ruler.before('emphasis', 'comment', (state, silent) => {
  comment.lastIndex = state.pos
  const match = comment.exec(state.src)
  if (match === null) return false
  if (!silent) state.push('text', '', 0).info = match[1]!.trim()
  state.pos = comment.lastIndex
  return true
})
/** Imports, exports and longer comments of MDX: first line, and last line. Elements are read as HTML. */
const statement = { first: /^(?:import|export)\s/, last: /^$/ }
const longComment = { first: /^\{\/\*/, last: /\*\/\}/ }
markdown.block.ruler.before('fence', 'script', (state, first, end, silent) => {
  const lineAt = (at: number) => state.src.slice(state.bMarks[at]! + state.tShift[at]!, state.eMarks[at])
  if (!state.env.isMdx || silent) return false
  const script = [statement, longComment].find((each) => each.first.test(lineAt(first)))
  if (script === undefined) return false
  for (state.line = first; state.line < end && !script.last.test(lineAt(state.line)); ) state.line++
  state.line++
  return true
})

/** Throws RangeError if the text is nested too deep for the stack. */
export function extractMarkdownFile(text: string, url: string, { isMdx = false } = {}): ExtractedPage {
  const { front, rest } = readFrontMatter(text)
  return extractHtmlDocument({ ...front, body: toHtml(rest, url, isMdx) }, url)
}

/** A project's name in HTML. Directly above a heading, it is not the page's title, except in a README. */
const banner = /^<h1\b[^<]*<\/h1>\s*$/i

/** Gives each heading an anchor. Throws RangeError as extractMarkdownFile does. */
function toHtml(text: string, url: string, isMdx = false): string {
  const slugs = createSlugs()
  const tokens = markdown.parse(text, { isMdx })
  const [first, next] = tokens
  if (next?.type === 'heading_open' && banner.test(first!.content) && !/\/readme[^/]*$/i.test(url)) {
    tokens.shift()
    next.tag = tokens[2]!.tag = 'h1'
  }
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'html_block') token.content = token.content.replace(comments, '')
    if (token.type !== 'heading_open') continue
    const children = tokens[at + 1]!.children!
    const last = children.at(-1)
    // Explicit anchors of some generators: `## Title {#its-anchor}`, `## Title [#its-anchor]`, `## Title {/* its-anchor */}`.
    const own = /(?<!\s)\s*[{[]#([\w-]{1,200})[}\]]\s*$/.exec(last?.content ?? '')
    const [, commented] = /^#?([\w-]{1,200})$/.exec(last?.info ?? '') ?? []
    if (own) last!.content = last!.content.slice(0, own.index)
    const html = markdown.renderer.renderInline(children, markdown.options, {})
    const plain = html.replace(/<[^>]{0,500}>/g, '').replace(/&[a-z#0-9]+;/g, '')
    token.attrSet('id', commented ?? own?.[1] ?? slugs(plain.trim()))
  }
  return withoutBoxes(markdown.renderer.render(tokens, markdown.options, {}))
}

/** Renders Markdown in linear time. Throws RangeError as extractMarkdownFile does. */
export const renderMarkdown = (text: string): string => withoutBoxes(markdown.render(text))

/** Removes the check boxes of task lists: `- [x] done`. */
const withoutBoxes = (html: string) => html.replace(/(<li>(?:\n<p>)?)\[[ xX]\] /g, '$1')

interface FrontMatter {
  title: string | null
  description: string | null
  language: string | null
  keywords: string[]
}

const maxLength = 64 * 1024
const none: FrontMatter = { title: null, description: null, language: null, keywords: [] }

/** Removes front matter. If it is invalid, it counts as empty. */
function readFrontMatter(text: string): { front: FrontMatter; rest: string } {
  const match = /^\uFEFF?(?:---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$))/.exec(text.slice(0, maxLength))
  if (match === null) return { front: none, rest: text }
  return { front: toFrontMatter(match[1] as string), rest: text.slice(match[0].length) }
}

function toFrontMatter(source: string): FrontMatter {
  let value: unknown
  try {
    value = parse(source, { logLevel: 'silent', maxAliasCount: 10 })
  } catch {
    return none
  }
  if (typeof value !== 'object' || value === null) return none
  const fields = value as Record<string, unknown>
  const readText = (...names: string[]) => {
    const found = names
      .map((name) => fields[name])
      .find((field) => typeof field === 'string' && field.trim() !== '')
    return (found as string | undefined)?.trim() ?? null
  }
  const keywords = [fields.keywords, fields.tags].flat().filter((each) => typeof each === 'string')
  return {
    title: readText('title', 'sidebarTitle', 'sidebar_label'),
    description: readText('description', 'summary'),
    language: readText('lang', 'language'),
    keywords: keywords.flatMap((each) => each.split(',').map((word) => word.trim())).filter(Boolean),
  }
}

interface Cell {
  cell_type?: unknown
  source?: unknown
}

/** An invalid notebook has no text. Throws RangeError as extractMarkdownFile does. */
export function extractNotebook(text: string, url: string): ExtractedPage {
  const { cells, title } = readNotebook(text)
  let markdown = ''
  for (const { cell_type: type, source } of cells) {
    const lines = [source].flat()
    const content = lines.filter((line) => typeof line === 'string').join('')
    if (type === 'markdown') markdown += `${content}\n\n`
    else if (type === 'code' && content.trim() !== '') {
      markdown += `<pre><code>${escapeHtml(content).replaceAll('\n', '&#10;')}</code></pre>\n\n`
    }
  }
  return extractHtmlDocument({ title, body: toHtml(markdown, url) }, url)
}

function readNotebook(text: string): { cells: Cell[]; title: string | null } {
  try {
    const { cells, metadata } = JSON.parse(text) as { cells?: unknown; metadata?: { title?: unknown } }
    const title = metadata?.title
    return {
      cells: Array.isArray(cells) ? cells.filter((cell) => typeof cell === 'object' && cell !== null) : [],
      title: typeof title === 'string' && title.trim() !== '' ? title.trim() : null,
    }
  } catch {
    return { cells: [], title: null }
  }
}

/** In the output: the start or end of code, or `{url-guide}/a.html[the guide]`, a link by an attribute that the file does not define. */
const undefinedLink = /<(\/?)(?:pre|code)\b|\{[\w-]{1,60}\}[^\s[\]<]{0,200}\[([^\]]{0,500})\]/g

/** Replaces links with an undefined address by their text. */
function removeUndefinedLinks(html: string): string {
  let depth = 0
  return html.replace(undefinedLink, (all, slash: string, label?: string) => {
    if (label === undefined) depth += slash === '' ? 1 : -1
    return label === undefined || depth > 0 ? all : label
  })
}

/**
 * Never rejects: a file that asciidoctor refuses has no text. Includes are left out: in the mode `secure`, asciidoctor would read
 * no files or addresses, but print the names of those to include.
 */
export async function extractAsciidoc(text: string, url: string): Promise<ExtractedPage> {
  // Loaded on demand: few repositories have AsciiDoc files.
  const { convert, NullLogger } = await import('@asciidoctor/core')
  const { front, rest } = readFrontMatter(text)
  const attributes = { showtitle: true, sectanchors: null }
  // The default logger would write text from the file to standard error.
  const logger = new NullLogger()
  const options = { safe: 'secure', standalone: false, attributes, logger }
  const body = await convert(rest.replace(/^include::\S.*\]$/gm, ''), options).catch(() => '')
  return extractHtmlDocument({ ...front, body: removeUndefinedLinks(String(body)) }, url)
}
