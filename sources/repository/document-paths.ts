// Which files of a repository are read: documents, by the ending of their names, and files that give pages their titles.

/** By the ending of the file's name. */
const formats: Record<string, string> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  mdx: 'text/mdx',
  rst: 'text/x-rst',
  adoc: 'text/asciidoc',
  asciidoc: 'text/asciidoc',
  txt: 'text/plain',
  ipynb: 'application/x-ipynb+json',
}

/** Null for a file that is not a document. */
export function toFormat(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return Object.hasOwn(formats, ending ?? '') ? (formats[ending as string] as string) : null
}

const names = new Set(['docs.json', 'mint.json', 'navigation.json', '_meta.json', 'mkdocs.yml'])
const maxDepth = 4

export function isNavigation(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= maxDepth && names.has(parts.at(-1) as string)
}

/** Names of a page in navigation files: its path with or without the extension, or its folder for an index. */
export function listPageNames(path: string): string[] {
  const page = path.replace(/\.[^./]+$/, '')
  return [path, page, page.replace(/\/(?:index|readme)$/i, '')]
}
