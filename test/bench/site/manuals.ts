// The real manuals that are crawled, as Debian's packages install them.
import { existsSync } from 'node:fs'

export interface Manual {
  name: 'python' | 'postgresql'
  /** Debian package. */
  package: string
  /** Folder of its HTML. */
  root: string
  /** Paths of its own index and search pages: the labels of search quality are made of them, so they are not crawled. */
  indexPages: string[]
}

export const manuals: Manual[] = [
  {
    name: 'python',
    package: 'python3.11-doc',
    root: '/usr/share/doc/python3.11/html',
    indexPages: ['genindex*.html', 'py-modindex.html', 'search.html'],
  },
  {
    name: 'postgresql',
    package: 'postgresql-doc-15',
    root: '/usr/share/doc/postgresql-doc-15/html',
    indexPages: ['bookindex.html'],
  },
]

/** Throws a line that says how to get them when one is missing. */
export function requireManuals(): void {
  const missing = manuals.filter((manual) => !existsSync(`${manual.root}/index.html`))
  if (missing.length > 0) {
    throw new Error(`missing manuals: apt-get install ${missing.map((manual) => manual.package).join(' ')}`)
  }
}
