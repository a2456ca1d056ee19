// Include and exclude globs of sources, read into RE2 patterns: linear time on any input.
import { RE2JS } from 're2js'
import { readUrlPattern } from './url-pattern.ts'

export interface Glob {
  /** Instructions of its program: what a match costs, times the length of the address. */
  size: number
  /** `url` is absolute and normalised. */
  matches(url: string): boolean
}

const maxGlobLength = 1_000
const maxAlternatives = 100

/**
 * `*` and `?` stay within a path segment, `**` crosses segments (`/**` at the end takes the folder itself too),
 * `{a,b}` is a choice, `[abc]` and `[!abc]` a set, `\` takes the next character as it is. Case counts. A glob with a
 * scheme is held against the whole address, any other against the path; a leading slash is optional.
 * Throws an Error whose message completes a sentence that names the field.
 */
export function readGlob(text: string): Glob {
  if (text.trim() === '') throw new Error('must not be empty')
  if (text.length > maxGlobLength) throw new Error(`must have at most ${maxGlobLength} characters`)
  const isWhole = /^(?:https?|\*):\/\//.test(text)
  const body = isWhole || text.startsWith('/') || text.startsWith('**') ? text : `/${text}`
  const pattern = readUrlPattern(toPattern(body), { ignoreCase: false })
  return {
    size: pattern.size,
    matches(url) {
      if (isWhole) return pattern.testWhole(url)
      const { pathname } = new URL(url)
      const read = readable(pathname)
      return pattern.testWhole(pathname) || (read !== pathname && pattern.testWhole(read))
    },
  }
}

/** The path as a person writes it: `%C3%A9` as `é`. */
function readable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/**
 * One pass from left to right; what each piece becomes:
 *
 *     /docs/**          /docs(?:/.*)?
 *     /docs/**\/x.html  /docs/(?:.*\/)?x\.html
 *     /a*.{html,md}     /a[^/]*\.(?:html|md)
 */
function toPattern(glob: string): string {
  let pattern = ''
  let open = 0
  let alternatives = 0
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at)
    const char = glob[at] as string
    if (rest === '/**') {
      pattern += '(?:/.*)?'
      at += 2
    } else if (rest.startsWith('/**/')) {
      pattern += '/(?:.*/)?'
      at += 3
    } else if (rest.startsWith('**/') && at === 0) {
      pattern += '(?:.*/)?'
      at += 2
    } else if (rest.startsWith('**')) {
      pattern += '.*'
      at += 1
    } else if (char === '*') {
      pattern += '[^/]*'
    } else if (char === '?') {
      pattern += '[^/]'
    } else if (char === '{') {
      pattern += '(?:'
      open += 1
    } else if (char === '}' && open > 0) {
      pattern += ')'
      open -= 1
    } else if (char === ',' && open > 0) {
      alternatives += 1
      if (alternatives > maxAlternatives) throw new Error(`has more than ${maxAlternatives} alternatives`)
      pattern += '|'
    } else if (char === '[') {
      const end = glob.indexOf(']', at + 2)
      if (end < 0) throw new Error('has a "[" without its "]"')
      pattern += toSet(glob.slice(at + 1, end))
      at = end
    } else if (char === '\\') {
      const next = glob[at + 1]
      if (next === undefined) throw new Error('ends in a "\\" that takes nothing')
      pattern += RE2JS.quote(next)
      at += 1
    } else {
      pattern += RE2JS.quote(char)
    }
  }
  if (open > 0) throw new Error('has a "{" without its "}"')
  return pattern
}

function toSet(inside: string): string {
  const negated = inside.startsWith('!') || inside.startsWith('^')
  const members = (negated ? inside.slice(1) : inside).replace(/[\\[\]^&~]/g, '\\$&')
  if (members === '') throw new Error('has an empty "[]"')
  return negated ? `[^/${members}]` : `[${members}]`
}
