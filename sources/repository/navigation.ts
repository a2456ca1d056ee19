// Titles that the navigation of a site gives its pages. Runs in a parse thread.
import { parse } from 'yaml'

const titleNames = ['title', 'label', 'text', 'name', 'sidebarTitle']
const targetNames = ['path', 'page', 'href', 'link', 'slug', 'file', 'url']
const maxTitles = 20_000
const maxBytes = 2_000_000

/** Pairs of a page's path, as the navigation names it, and its title. A file that cannot be read gives none. */
export function readTitles(path: string, body: Uint8Array): [string, string][] {
  if (body.length > maxBytes) return []
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const name = path.slice(folder.length)
  const text = new TextDecoder().decode(body)
  try {
    if (name === 'mkdocs.yml')
      return mkdocsTitles(parse(text, { logLevel: 'silent', maxAliasCount: 100 }), folder)
    const value: unknown = JSON.parse(text)
    return name === '_meta.json' ? metaTitles(value, folder) : jsonTitles(value, folder)
  } catch {
    return []
  }
}

/** `{title, path}` at any depth, under any of the usual names. */
function jsonTitles(root: unknown, folder: string): [string, string][] {
  const titles: [string, string][] = []
  for (const value of walkObjects(root)) {
    const fields = value as Record<string, unknown>
    const find = (names: string[]) =>
      names.map((name) => fields[name]).find((field) => typeof field === 'string')
    const title = find(titleNames)
    const target = find(targetNames)
    if (title && target) titles.push([toPagePath(folder, target as string), title as string])
    if (titles.length === maxTitles) break
  }
  return titles
}

/** `{"page": "Title"}` or `{"page": {"title": "Title"}}`, for pages of the same folder. */
function metaTitles(root: unknown, folder: string): [string, string][] {
  return Object.entries(root as Record<string, unknown>)
    .slice(0, maxTitles)
    .flatMap(([page, value]): [string, string][] => {
      const title = typeof value === 'string' ? value : (value as { title?: unknown } | null)?.title
      return typeof title === 'string' && title !== '' ? [[folder + page, title]] : []
    })
}

/** `nav: [{Title: page}, {Group: […]}]`, below `docs_dir`. */
function mkdocsTitles(root: { nav?: unknown; docs_dir?: unknown } | null, folder: string) {
  const pages = `${folder}${typeof root?.docs_dir === 'string' ? root.docs_dir : 'docs'}/`
  const titles: [string, string][] = []
  for (const value of walkObjects(root?.nav)) {
    for (const [title, target] of Array.isArray(value) ? [] : Object.entries(value))
      if (typeof target === 'string' && titles.length < maxTitles)
        titles.push([toPagePath(pages, target), title])
  }
  return titles
}

/** Objects and lists at any depth, without recursion. */
function* walkObjects(root: unknown): Generator<object> {
  const waiting = [root]
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue
    yield value
    waiting.push(...Object.values(value).filter((field) => typeof field === 'object'))
  }
}

const toPagePath = (folder: string, target: string) =>
  folder +
  target
    .replace(/^\.?\/+/, '')
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
