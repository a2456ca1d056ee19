// What stands before a document's text between lines of `---`: YAML.
import { parse } from 'yaml'

interface FrontMatter {
  title: string | null
  description: string | null
  language: string | null
  keywords: string[]
}

const maxLength = 64 * 1024
const none: FrontMatter = { title: null, description: null, language: null, keywords: [] }

/** What cannot be read counts as none; it is taken off all the same. */
export function readFrontMatter(text: string): { front: FrontMatter; rest: string } {
  const match = /^\uFEFF?(?:---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$))/.exec(text.slice(0, maxLength))
  if (match === null) return { front: none, rest: text }
  return { front: toFrontMatter(match[1] as string), rest: text.slice(match[0].length) }
}

function toFrontMatter(source: string): FrontMatter {
  let value: unknown
  try {
    value = parse(source, { logLevel: 'silent', maxAliasCount: 10 })
  } catch {
    return none
  }
  if (typeof value !== 'object' || value === null) return none
  const fields = value as Record<string, unknown>
  const textOf = (...names: string[]) => {
    const found = names
      .map((name) => fields[name])
      .find((field) => typeof field === 'string' && field.trim() !== '')
    return (found as string | undefined)?.trim() ?? null
  }
  const keywords = [fields.keywords, fields.tags].flat().filter((each) => typeof each === 'string')
  return {
    title: textOf('title', 'sidebarTitle', 'sidebar_label'),
    description: textOf('description', 'summary'),
    language: textOf('lang', 'language'),
    keywords: keywords
      .flatMap((each) => each.split(','))
      .map((each) => each.trim())
      .filter(Boolean),
  }
}
