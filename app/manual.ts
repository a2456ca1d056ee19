// Lectern's own manual. Renders Markdown files as small HTML pages, which are served at /manual/ and indexed as the first project.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import MarkdownIt, { type Token } from 'markdown-it'
import type { Fetcher } from '../crawler/fetch.ts'
import type { Reading } from '../crawler/fetch-result.ts'

interface ManualFile {
  contentType: string
  body: string | Uint8Array
}

interface Heading {
  id: string
  text: string
}

type ManualPage = ReturnType<typeof renderPage>

export const manualFolder = new URL('../manual/', import.meta.url)
const styles = ['tokens.css', 'tokens-text.css', 'manual.css'].map(
  (name) => new URL(`../web/${name}`, import.meta.url),
)

/**
 * Reads the manual in a folder. Returns files by their path below /manual/: `''` for the start page (index.md), `search.html`
 * for search.md, `manual.css`, and pictures. Rejects if the folder, its start page or the title of a page is missing.
 */
export async function readManual(folder: URL): Promise<Map<string, ManualFile>> {
  const all = await readdir(folder)
  const names = all.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))
  const texts = new Map<string, string>()
  for (const name of names) texts.set(name, await readFile(new URL(`${name}.md`, folder), 'utf8'))

  const order = readOrder(texts.get('index') ?? '', names)
  const pages = order.map((name) => renderPage(name, texts.get(name) ?? ''))
  const files = new Map<string, ManualFile>()
  for (const page of pages) {
    files.set(toPath(page.name), { contentType: 'text/html; charset=utf-8', body: layOut(page, pages) })
  }
  const css = (await Promise.all(styles.map((each) => readFile(each, 'utf8')))).join('\n')
  files.set('manual.css', { contentType: 'text/css; charset=utf-8', body: css })
  for (const name of all.filter((name) => name.endsWith('.png'))) {
    files.set(name, { contentType: 'image/png', body: await readFile(new URL(name, folder)) })
  }
  return files
}

let own: ReturnType<typeof readManual> | null = null

/** Lectern's own manual, rendered on first use: most starts never need it. */
export function readOwnManual() {
  own ??= readManual(manualFolder)
  return own
}

/** Pages in the order of the start page's links. Pages that it does not link come last. */
function readOrder(index: string, names: string[]): string[] {
  if (index === '') throw new Error('the manual has no index.md')
  const linked = Array.from(index.matchAll(/\]\(([\w-]+)\.md/g), ([, name]) => name ?? '')
  return [...new Set(['index', ...linked.filter((name) => names.includes(name)), ...names])]
}

function toPath(name: string): string {
  return name === 'index' ? '' : `${name}.html`
}

/** Shows raw HTML as text. */
const markdown = new MarkdownIt()

/** Gives headings ids, and turns links between pages into addresses. `name`: `search` for search.md, `index` for the start page. */
function renderPage(name: string, text: string) {
  const headings: Heading[] = []
  const tokens = markdown.parse(text, {})
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') addAnchor(token, tokens[at + 1]!, headings)
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', toAddress(String(child.attrGet('href'))))
    }
  }
  const [title] = headings
  if (!title) throw new Error(`the manual's page ${name}.md has no heading`)
  return { name, title: title.text, html: markdown.renderer.render(tokens, markdown.options, {}) }
}

/** Gives a heading its id, and a link to itself unless it is the page's title. Adds it to `headings`. */
function addAnchor(heading: Token, { content, children }: Token, headings: Heading[]): void {
  const id = freeId(content, headings)
  headings.push({ id, text: children!.map((child) => child.content).join('') })
  heading.attrSet('id', id)
  if (heading.tag === 'h1') return
  const permalink = new MarkdownIt.Token('html_inline', '', 0)
  permalink.content = ` <a class="permalink" href="#${id}" aria-label="Link to this section">#</a>`
  children!.push(permalink)
}

/** `search.md#filters` → `search.html#filters`; `index.md` → `./`; other addresses stay. */
function toAddress(href: string): string {
  return href.replace(/^index\.md(?=#|$)/, './').replace(/^([\w-]+)\.md(?=#|$)/, '$1.html')
}

/** `What a run does: removals` → `what-a-run-does-removals`; a second heading of that name gets `-2`. */
function freeId(text: string, headings: Heading[]): string {
  const plainId =
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, '-')
      .replace(/^-|-$/g, '') || 'section'
  const ids = new Set(headings.map(({ id }) => id))
  let id = plainId
  for (let number = 2; ids.has(id); number++) id = `${plainId}-${number}`
  return id
}

function layOut(page: ManualPage, pages: ManualPage[]): string {
  const title = page.name === 'index' ? page.title : `${page.title} · Lectern manual`
  const links = pages.map(({ name, title }) => {
    const current = name === page.name ? ' aria-current="page"' : ''
    return `<li><a href="${toPath(name) || './'}"${current}>${escapeHtml(title)}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="manual.css">
</head>
<body>
<nav aria-label="Pages">
<p><a href="../demo/manual/">Search the manual</a></p>
<ul>
${links.join('\n')}
</ul>
</nav>
<main>
${page.html}</main>
</body>
</html>
`
}

/**
 * Answers requests for the manual from its files, and passes all others to `fetcher`. `base`: address of the manual's start page,
 * ending in a slash.
 */
export function createManualFetcher(fetcher: Fetcher, base: string): Fetcher {
  return {
    ...fetcher,
    forProject: (project) => createManualFetcher(fetcher.forProject(project), base),
    async fetchPage(url, options) {
      if (url === new URL('/robots.txt', base).href) return gone
      if (!url.startsWith(base)) return fetcher.fetchPage(url, options)
      const file = (await readOwnManual()).get(url.slice(base.length).replace(/\/$/, ''))
      return file ? toPage(file, options?.etag ?? null) : gone
    },
  }
}

const gone: Reading = { kind: 'gone', status: 404, message: 'The manual has no such page.' }

function toPage({ contentType, body }: ManualFile, known: string | null): Reading {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  if (etag === known) return { kind: 'unchanged' }
  return { kind: 'document', status: 200, contentType, etag, lastModified: null, body: Buffer.from(body) }
}
