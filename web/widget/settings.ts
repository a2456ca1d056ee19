// What the attributes of an element say, with defaults. Those of the conversation are read in ask.tsx.
import { readHidden, readLanguages } from './attributes.ts'
import type { Host } from './host.ts'

export interface Settings {
  /** UUID or slug. */
  project: string
  /** Address of the Lectern server, ending in a slash. */
  server: string
  /** Of a private project: a key that may search and chat. */
  key: string | null
  /** Languages of the texts, best first. */
  languages: string[]
  /** Texts in place of Lectern's own, as web/strings/en.ts names them. */
  strings: Record<string, Record<string, string>>
  /** Shown in the empty field; null: Lectern's own text. */
  placeholder: string | null
  /** Title of the filter that is chosen at first; '' for none. */
  filter: string
  /** Only pages of this version and language; null: the reader's page decides. */
  version: string | null
  language: string | null
  /** `all` also searches uploaded files. */
  scope: 'site' | 'all'
  /** Whether recent searches and the conversation are kept in the browser. */
  remembers: boolean
  /** In place of the project's own; null: the project's. */
  suggestions: string[] | null
  /** Parts that are not shown: `ask`, `sources`, `feedback`, `filters`, `suggestions`, `mcp`, `copy`, `restart`, `icon`, `key`. */
  hidden: ReadonlySet<string>
}

/** `base`: where the script came from; null: `api-url` names the server, or the page's own does it. */
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

/** The server's address; one of its API, as older markup has it, names the server before it. */
function toServer(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  return origin + pathname.replace(/\/api\/v[12]\/?$/, '').replace(/\/?$/, '/')
}
