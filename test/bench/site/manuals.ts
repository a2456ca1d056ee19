// The real manuals for benchmarks, as installed by Debian's packages: from different generators, about different
// topics, one of them in German.
import { existsSync } from 'node:fs'

export interface Manual {
  name: string
  /** Debian package. */
  package: string
  /** Folder of its HTML. */
  root: string
  /**
   * Globs of pages that are not crawled: the manual's index and search pages, from which the labels of search quality are made,
   * and pages that repeat others.
   */
  indexPages: string[]
  /** ISO 639-1. */
  language: string
  /**
   * Ranking and the check of citations are not fitted to it; it is judged with `--closed` only. The weights that decide
   * whether a question is answered or refused are fitted to every manual.
   */
  closed?: true
}

const python: Manual = {
  name: 'python',
  package: 'python3.11-doc',
  root: '/usr/share/doc/python3.11/html',
  indexPages: ['genindex*.html', 'py-modindex.html', 'search.html'],
  language: 'en',
}
const postgresql: Manual = {
  name: 'postgresql',
  package: 'postgresql-doc-15',
  root: '/usr/share/doc/postgresql-doc-15/html',
  indexPages: ['bookindex.html'],
  language: 'en',
}

/** The large ones, with their own index, used for everything except questions and answers. */
export const largeManuals: readonly [Manual, Manual] = [python, postgresql]

export const manuals: readonly Manual[] = [
  python,
  postgresql,
  {
    name: 'git',
    package: 'git-doc',
    root: '/usr/share/doc/git-doc',
    // The same as git.html.
    indexPages: ['index.html'],
    language: 'en',
  },
  {
    name: 'nodejs',
    package: 'nodejs-doc',
    root: '/usr/share/doc/nodejs/api',
    indexPages: ['all.html'],
    language: 'en',
  },
  {
    name: 'debian-handbook',
    package: 'debian-handbook',
    root: '/usr/share/doc/debian-handbook/html/de-DE',
    indexPages: [],
    language: 'de',
  },
  {
    name: 'lilypond',
    package: 'lilypond-doc-html-fr',
    root: '/usr/share/doc/lilypond/html/Documentation/learning',
    // The pages of other languages, whose packages share the folder.
    indexPages: ['!(*.fr).html', 'lilypond-index.fr.html'],
    language: 'fr',
  },
  {
    name: 'aptitude',
    package: 'aptitude-doc-es',
    root: '/usr/share/doc/aptitude/html/es',
    indexPages: [],
    language: 'es',
  },
  {
    name: 'maint-guide',
    package: 'maint-guide-it',
    root: '/usr/share/doc/maint-guide-it/html',
    indexPages: [],
    language: 'it',
  },
  {
    name: 'borgbackup',
    package: 'borgbackup-doc',
    root: '/usr/share/doc/borgbackup/html',
    indexPages: ['genindex*.html', 'search.html'],
    language: 'en',
    closed: true,
  },
  {
    name: 'r',
    package: 'r-doc-html',
    root: '/usr/share/doc/r-doc-html/manual',
    indexPages: [],
    language: 'en',
    closed: true,
  },
]

/** The manuals that a benchmark judges: closed ones only on request. */
export function judgedManuals(withClosed: boolean): Manual[] {
  return manuals.filter(({ closed }) => withClosed || !closed)
}

/** The manuals with these names; all if there are none. Throws on an unknown name. */
export function chooseManuals(from: readonly Manual[], names: readonly string[]): readonly Manual[] {
  const unknown = names.find((name) => !from.some((manual) => manual.name === name))
  if (unknown !== undefined) {
    throw new Error(
      `no manual "${unknown}" is read here; there are ${from.map(({ name }) => name).join(', ')}`,
    )
  }
  return names.length === 0 ? from : from.filter(({ name }) => names.includes(name))
}

/**
 * Throws a line with instructions if one is missing: unpack it instead of installing it, because `nodejs-doc` removes a newer Node.js
 * from the machine.
 */
export function requireManuals(wanted: readonly Manual[]): void {
  const missing = wanted.filter(({ root }) => !existsSync(root))
  if (missing.length > 0) {
    const packages = missing.map((manual) => manual.package).join(' ')
    throw new Error(`missing manuals: apt-get download ${packages}, then for each file: dpkg -x <file> /`)
  }
}
