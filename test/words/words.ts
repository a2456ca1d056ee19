// The checks of names and of mentioned files in `npm run check`; `check-words.ts` applies them to the repository.

import { posix } from 'node:path'

export interface Finding {
  path: string
  line: number
  says: string
}

/** Each prefix that names must not have, and the word that replaces it (CONTRIBUTING.md). */
const prefixes: Record<string, string> = {
  most: 'max',
  longest: 'max',
  greatest: 'max',
  least: 'min',
  fewest: 'min',
  usual: 'default',
  patience: 'timeout',
}
const oldName = new RegExp(`\\b(${Object.keys(prefixes).join('|')})[A-Z]\\w*`, 'g')

/** A mention of a file: letters, then one of these endings. `*`, `{name}` and `<name>` are wildcards. */
const mention = /(?:[\w@*.<>-]|\{[\w,-]*\}|\/(?!\/))+\.(?:md|ts|mjs|json|proto)\b(?![\w/])/g

const isSource = (path: string): boolean => /\.(ts|js|mjs)$/.test(path)
const hasComments = (path: string): boolean => isSource(path) || path.endsWith('.proto')

/** Identifiers with an old prefix, in source. */
export function oldNames(path: string, text: string): Finding[] {
  if (!isSource(path)) return []
  return find(
    path,
    text.split('\n'),
    oldName,
    ([name, prefix]) => `${name}: name it ${prefixes[prefix as string]}…, as CONTRIBUTING.md says`,
  )
}

/** Mentions, in comments and documents, of files that are not in `files`. */
export function missingFiles(
  path: string,
  text: string,
  files: Iterable<string>,
  elsewhere: string[],
): Finding[] {
  const lines = hasComments(path) ? comments(text) : text.split('\n')
  const isThere = lookUp(files, elsewhere)
  return find(path, lines, mention, ([name]) =>
    isThere(path, name) ? null : `${name} is not in the repository`,
  )
}

function find(
  path: string,
  lines: string[],
  pattern: RegExp,
  judge: (match: RegExpMatchArray) => string | null,
): Finding[] {
  return lines.flatMap((text, index) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const says = judge(match)
      return says ? [{ path, line: index + 1, says }] : []
    }),
  )
}

/** The lines of a source reduced to their comments. The `//` of an address follows a colon, so it does not begin one. */
function comments(text: string): string[] {
  let within = false
  return text.split('\n').map((line) => {
    let rest = line
    let kept = ''
    while (rest) {
      if (within) {
        const end = rest.indexOf('*/')
        kept += end < 0 ? rest : rest.slice(0, end)
        within = end < 0
        rest = end < 0 ? '' : rest.slice(end + 2)
      } else {
        const start = /(?:^|[\s({[,;])(\/\/|\/\*)/.exec(rest)
        if (start?.[1] === '//') kept += rest.slice(start.index)
        within = start?.[1] === '/*'
        rest = within && start ? rest.slice(start.index + start[0].length) : ''
      }
    }
    return kept
  })
}

/** A file is named relative to the mentioning file (`./`, `../`), or by as many of its last path segments as needed. */
function lookUp(files: Iterable<string>, elsewhere: string[]): (from: string, name: string) => boolean {
  const all = [...files]
  return (from, name) => {
    if (name.startsWith('/') || elsewhere.includes(name)) return true
    const isRelative = /^\.\.?\//.test(name)
    const path = isRelative ? posix.join(posix.dirname(from), name) : name
    const parts = path.split(/\*+|\{[^}]*\}|<[^>]*>/)
    const anything = parts.map((part) => part.replace(/[.+?^$()[\]|{}]/g, '\\$&')).join('.*')
    const pattern = new RegExp(`${isRelative ? '^' : '(^|/)'}${anything}$`)
    return all.some((file) => pattern.test(file))
  }
}

/** The number of elements and letters that fast-check creates at most if only `maxLength` is given. */
const maxUnsized = 10

/** Property tests whose `maxLength` fast-check does not reach without `size`. */
export function unsizedLengths(path: string, text: string): Finding[] {
  if (!path.endsWith('.ts') || !text.includes("from 'fast-check'")) return []
  return [...text.matchAll(/\{[^{}]*\bmaxLength: ([\w.]+)[^{}]*\}/g)]
    .filter(
      ([options, length]) => !(Number(length!.replaceAll('_', '')) <= maxUnsized) && !/\bsize:/.test(options),
    )
    .map(({ 0: options, index }) => ({
      path,
      line: text.slice(0, index + options.indexOf('maxLength')).split('\n').length,
      says: "maxLength above 10 needs size beside it, such as size: 'max': fast-check makes shorter ones",
    }))
}
