// The real manuals that benchmarks read, as Debian's packages install them: made by different generators, about different
// things, one of them in German.
import { existsSync } from 'node:fs'

export interface Manual {
  name: string
  /** Debian package. */
  package: string
  /** Folder of its HTML. */
  root: string
  /**
   * Globs of pages that are not crawled: its own index and search pages, of which the labels of search quality are made,
   * and pages that hold others a second time.
   */
  indexPages: string[]
  /** ISO 639-1. */
  language: string
  /**
   * Ranking and the check of citations are not fitted to it: it is judged with `--closed` only. The weights that decide
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

/** The large ones, with an index of their own: what everything but questions and answers is measured on. */
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

/** Those that a benchmark judges: the closed ones only when it is told so. */
export function judgedManuals(withClosed: boolean): Manual[] {
  return manuals.filter(({ closed }) => withClosed || !closed)
}

/** Those of these names; all where there are none. Throws on a name that is none of theirs. */
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
 * Throws a line that says how to get them when one is missing: unpacked, not installed, for `nodejs-doc` takes a newer Node.js off
 * the machine.
 */
export function requireManuals(wanted: readonly Manual[]): void {
  const missing = wanted.filter(({ root }) => !existsSync(root))
  if (missing.length > 0) {
    const packages = missing.map((manual) => manual.package).join(' ')
    throw new Error(`missing manuals: apt-get download ${packages}, then for each file: dpkg -x <file> /`)
  }
}
