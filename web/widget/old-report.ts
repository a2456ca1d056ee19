// Reports the effect of each attribute in markup of the hosted service, for the console and for site authors.
import { type Effect, oldAttributes, refuses } from './old-attributes.ts'

export interface OldAttributeReport {
  /** `biel-button` */
  element: string
  attribute: string
  value: string
  /** `unknown`: the published elements do not have it. */
  effect: 'honored' | 'none' | 'refused' | 'unknown'
  /** Its translation, or why it is refused, or ''. */
  note: string
}

const reasons: Record<string, string> = {
  'api-key': 'a key that does not begin with `lec_` belongs to another service, and is not sent',
  'api-url': 'an address of the hosted service. The widget asks the Lectern that its script comes from',
  'mcp-server-url': 'readers are shown the address of Lectern’s own MCP server',
  'hide-close-button': 'readers could not leave the dialog by touch',
}

const tag = /<(biel-(?:search-button|search|button|bot))\b((?:"[^"]*"|'[^']*'|[^>"'])*)>/g
const attribute = /([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** Reports the attributes of elements in a text, in order. Reads HTML, and similar markup in JSX and templates. */
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
  const note = describe(effect)
  return { ...found, effect: note === '' ? 'none' : 'honored', note }
}

/** The attribute's translation in Markdown, or ''. */
function describe(effect: Effect): string {
  if (typeof effect === 'string') return ''
  if ('to' in effect) return `\`${effect.to}\``
  if ('text' in effect) return `\`strings\`: \`${effect.text}\``
  return 'hide' in effect ? `\`hide\`: \`${effect.hide}\`` : 'as before'
}

/** The rows of the table in manual/existing-widget.md. */
export function listOldAttributes(): string[] {
  return Object.entries(oldAttributes).map(([name, effect]) => {
    const refusal = reasons[name] ? `refused: ${reasons[name]}` : ''
    const what = effect === 'none' ? 'no effect' : [describe(effect), refusal].filter(Boolean).join('; ')
    return `| \`${name}\` | ${what} |`
  })
}
