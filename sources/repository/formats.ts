// Which files of a repository are documents, and what they are written in.

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

/** Null for what is no document. */
export function formatOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return Object.hasOwn(formats, ending ?? '') ? (formats[ending as string] as string) : null
}
