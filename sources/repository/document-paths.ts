// Selects the files of a repository to read: documents by file extension, and navigation files, which contain page titles.

/** File extension → content type. */
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

/** Returns null if the file is not a document. */
export function toFormat(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return Object.hasOwn(formats, ending ?? '') ? (formats[ending as string] as string) : null
}

const names = new Set(['docs.json', 'mint.json', 'navigation.json'])
const maxDepth = 4

export function isNavigation(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= maxDepth && names.has(parts.at(-1) as string)
}

/** Names of a page in navigation files: its path with and without the extension, and the folder for an index. */
export function listPageNames(path: string): string[] {
  const page = path.replace(/\.[^./]+$/, '')
  return [path, page, page.replace(/\/(?:index|readme)$/i, '')]
}
