// Reads the attributes of an element, with defaults. ask.tsx reads those of the conversation.
import { readHidden, readLanguages } from './attributes.ts'
import type { Host } from './host.ts'

export interface Settings {
  /** UUID or slug. */
  project: string
  /** Address of the Lectern server, with a trailing slash. */
  server: string
  /** For a private project: a key with the permissions to search and chat. */
  key: string | null
  /** Languages of the texts, best first. */
  languages: string[]
  /** Replacements of Lectern's texts, named as in web/strings/en.ts. */
  strings: Record<string, Record<string, string>>
  /** Text of the empty field. Null: Lectern's own. */
  placeholder: string | null
  /** Title of the filter that is initially chosen, or ''. */
  filter: string
  /** Search only pages of this version and language. Null: the reader's page decides. */
  version: string | null
  language: string | null
  /** `all` also searches uploaded files. */
  scope: 'site' | 'all'
  /** Whether to store recent searches and the conversation in the browser. */
  remembers: boolean
  /** Replacements of the project's suggestions. Null: use the project's. */
  suggestions: string[] | null
  /** Hidden parts: `ask`, `sources`, `feedback`, `filters`, `suggestions`, `mcp`, `copy`, `restart`, `icon`, `key`. */
  hidden: ReadonlySet<string>
}

/** `base`: address of the script. Null: the server is `api-url`, else the page's own. */
export function readSettings(host: Host): Settings {
  const { marks: attributes, base } = host
  const { privacy, scope, suggestions } = attributes
  return {
    project: attributes.project?.trim() ?? '',
    server: toServer(attributes['api-url'] || base || location.origin),
    key: attributes['api-key'] || null,
    languages: readLanguages(attributes, host),
    strings: readStrings(attributes.strings),
    placeholder: attributes.placeholder ?? null,
    filter: attributes.filter ?? '',
    version: attributes.version || null,
    language: attributes.language || null,
    scope: scope === 'all' ? 'all' : 'site',
    remembers: privacy !== 'none',
    suggestions: suggestions === undefined ? null : splitList(suggestions),
    hidden: readHidden(attributes),
  }
}

/** `How do I begin? | What is new?` */
function splitList(text: string): string[] {
  return text
    .split('|')
    .map((each) => each.trim())
    .filter(Boolean)
}

function readStrings(text = '{}'): Settings['strings'] {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  console.warn('Lectern: the attribute strings must be a JSON object.')
  return {}
}

/** The server's address. Older markup has the address of its API, which starts with the server's. */
function toServer(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  return origin + pathname.replace(/\/api\/v[12]\/?$/, '').replace(/\/?$/, '/')
}
