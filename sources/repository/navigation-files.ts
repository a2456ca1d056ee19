// Files of a repository that give its pages titles: which they are, and how a page is named in them.

const names = new Set(['docs.json', 'mint.json', 'navigation.json', '_meta.json', 'mkdocs.yml'])
const maxDepth = 4

export function isNavigation(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= maxDepth && names.has(parts.at(-1) as string)
}

/** A page is named by its path with or without its ending; the page of a folder by the folder, too. */
export function pathsOfTitle(path: string): string[] {
  const page = path.replace(/\.[^./]+$/, '')
  return [path, page, page.replace(/\/(?:index|readme)$/i, '')]
}
