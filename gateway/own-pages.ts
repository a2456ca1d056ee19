// Pages of documents without an address on the web, `/files/{slug}/{source}/…`. The core decides who may read them.
// All text on such a page is untrusted, and is escaped.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import {
  DocumentService,
  type Page,
  type PageBlock,
  PageBlockKind,
  type PageSection,
} from '../gen/lectern/v1/document_pb.js'
import type { CallerReader } from './caller.ts'
import type { CoreClient } from './core-client.ts'
import { Refusal } from './errors.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { readQuery } from './query.ts'
import type { Route } from './router.ts'

const styles = ['tokens.css', 'tokens-text.css', 'page.css']
  .map((name) => readFileSync(new URL(`../web/${name}`, import.meta.url), 'utf8'))
  .join('\n')

/** Allows the page's own styles and its empty icon, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(styles).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

export function createOwnPageRoutes({ core, caller }: { core: CoreClient; caller: CallerReader }): Route[] {
  async function answer(
    request: HttpRequest,
    { slug = '', source = '', rest = '' }: Record<string, string>,
  ): Promise<HttpResponse> {
    const pageRequest = { slug, sourceUuid: source, path: rest, part: readPart(request) }
    const context = caller.context('v2', request)
    const { page } = await core.call(DocumentService.method.getPage, pageRequest, context)
    return { status: 200, headers, body: toPageHtml(page!, toDemoPath(request, slug)) }
  }

  return [
    { method: 'GET', path: '/files/{slug}/{source}', answer },
    { method: 'GET', path: '/files/{slug}/{source}/{rest}', answer },
  ]
}

function readPart(request: HttpRequest): number {
  const part = readQuery(request.query).get('part') ?? '1'
  if (!/^[1-9]\d{0,8}$/.test(part)) throw new Refusal('not_found', 'The page has no such part.')
  return Number(part)
}

/** Relative to the page, so that it works below any public address. */
function toDemoPath({ path }: HttpRequest, slug: string): string {
  return `${'../'.repeat(path.split('/').length - 2)}demo/${encodeURIComponent(slug)}/`
}

/** `demo`: the address of the project's search page. */
export function toPageHtml(page: Page, demo: string): string {
  const { title, language, sections, part, parts, entries } = page
  const isCut = parts > 1
  return `<!doctype html>
<html${language ? ` lang="${toHtml(language)}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${toHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<p class="top" lang="en"><a href="${toHtml(demo)}">Search</a>${isCut ? `<span>Part ${part} of ${parts}</span>` : ''}</p>
<main>
<h1 dir="auto">${toHtml(title)}</h1>
${sections.map((section, at) => toSection(section, title, sections[at - 1])).join('\n')}
</main>
${isCut ? toParts(part, parts) : ''}${toEntries(entries)}</body>
</html>
`
}

/** Shows a place only at its first section, and the page's title only once. */
function toSection(section: PageSection, title: string, before: PageSection | undefined): string {
  const { names, depth, blocks, page, sheet } = section
  const place = page === undefined ? sheet : `Page ${page}`
  const isHead = names.some(({ heading }) => heading === place)
  const isNew = place !== undefined && !isHead && !(before?.page === page && before?.sheet === sheet)
  const level = Math.min(6, depth + 2)
  const heads = names.map(({ heading, anchor }) => {
    const id = anchor ? ` id="${toHtml(anchor)}"` : ''
    if (heading === '' || heading === title) return id && `<span${id}></span>`
    const link = anchor ? ` <a href="#${toHtml(anchor)}" aria-label="Link to this section">#</a>` : ''
    return `<h${level}${id} dir="auto">${toHtml(heading)}${link}</h${level}>`
  })
  const placeLine = isNew
    ? [`<p class="place"${page === undefined ? ' dir="auto"' : ' lang="en"'}>${toHtml(place)}</p>`]
    : []
  return ['<section>', ...placeLine, ...heads, ...blocks.map(toBlock), '</section>'].join('\n')
}

/** The end of a cell. Cells may be empty. */
const cellEnd = /(?<=^| )\|(?= |$)/

function toBlock({ kind, text }: PageBlock): string {
  if (kind === PageBlockKind.CODE) return `<pre tabindex="0"><code>${toHtml(text)}</code></pre>`
  const lines = text.split('\n')
  if (kind === PageBlockKind.LIST) {
    const items = lines.map((line) => `<li dir="auto">${toHtml(line.replace(/^\s*- /, ''))}</li>`)
    return `<ul>\n${items.join('\n')}\n</ul>`
  }
  if (kind === PageBlockKind.TABLE) {
    const rows = lines.map((line) => {
      const cells = line.split(cellEnd).map((cell) => `<td dir="auto">${toHtml(cell.trim())}</td>`)
      return `<tr>${cells.join('')}</tr>`
    })
    return `<div class="table" tabindex="0"><table>\n${rows.join('\n')}\n</table></div>`
  }
  return `<p dir="auto">${toHtml(text)}</p>`
}

function toParts(part: number, parts: number): string {
  const links = [
    ...(part > 1 ? [`<a rel="prev" href="?part=${part - 1}">Previous part</a>`] : []),
    ...(part < parts ? [`<a rel="next" href="?part=${part + 1}">Next part</a>`] : []),
  ]
  return `<nav class="parts" lang="en" aria-label="Parts">${links.join(' ')}</nav>\n`
}

/** Addresses lead to the first part. For each section of later parts, it has an anchor that links to that part. */
function toEntries(entries: Page['entries']): string {
  if (entries.length === 0) return ''
  const items = entries.map(({ heading, anchor, part }) => {
    const id = toHtml(anchor)
    return `<li dir="auto"><a id="${id}" href="?part=${part}#${id}">${toHtml(heading || anchor)}</a></li>`
  })
  return `<nav aria-label="Further sections">\n<h2 lang="en">In further parts</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>\n`
}

/** Replaces control characters, except line ends and tabs, with visible marks. */
function toHtml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  return escapeHtml(text).replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd')
}
