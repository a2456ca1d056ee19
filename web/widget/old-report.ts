// What becomes of markup of the hosted service, attribute by attribute: for the console, and for whoever changes the script.
import { type Effect, oldAttributes, refuses } from './old-attributes.ts'

export interface OldAttributeReport {
  /** `biel-button` */
  element: string
  attribute: string
  value: string
  /** `unknown`: the published elements do not have it. */
  effect: 'honored' | 'none' | 'refused' | 'unknown'
  /** What it becomes, or why it is refused; '' for no effect. */
  note: string
}

const reasons: Record<string, string> = {
  'api-key': 'Lectern’s keys begin with lec_. A key of another service is not sent.',
  'api-url': 'It names the hosted service. The widget asks the Lectern that its script comes from.',
  'mcp-server-url': 'Lectern shows readers the address of its own MCP server.',
  'hide-close-button': 'Readers could not leave the dialog by touch.',
}

const tag = /<(biel-(?:search-button|search|button|bot))\b((?:"[^"]*"|'[^']*'|[^>"'])*)>/g
const attribute = /([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** The attributes of the elements in a text that holds markup, in order. Reads HTML, and what looks like it in JSX and templates. */
export function reportOldMarkup(text: string): OldAttributeReport[] {
  return [...text.matchAll(tag)].flatMap(([, element, attributes]) =>
    [...attributes!.matchAll(attribute)].map(([, name, double, single, bare]) =>
      report(element!, name!.toLowerCase(), double ?? single ?? bare ?? ''),
    ),
  )
}

function report(element: string, name: string, value: string): OldAttributeReport {
  const effect = oldAttributes[name]
  const found = { element, attribute: name, value }
  if (effect === undefined) return { ...found, effect: 'unknown', note: '' }
  if (refuses(effect, value)) return { ...found, effect: 'refused', note: reasons[name] ?? '' }
  const note = describe(effect, name)
  return { ...found, effect: note === '' ? 'none' : 'honored', note }
}

/** Of the elements of Lectern: an attribute, or a value of `strings` or `hide`. */
function describe(effect: Effect, name: string): string {
  if (typeof effect === 'string') return ''
  if ('to' in effect) return effect.to
  if ('text' in effect) return `strings: ${effect.text}`
  return 'hide' in effect ? `hide: ${effect.hide}` : name
}
