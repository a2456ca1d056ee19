// The widget's markup for pages of a site: the elements, the values of their attributes, and a writer.

export const widgetElements = {
  'lectern-search': 'A field that opens the search',
  'lectern-ask': 'A floating button that opens the conversation',
  'lectern-panel': 'The search as part of the page',
}

export type WidgetElement = keyof typeof widgetElements

/** Attribute → allowed values. []: any text. */
export const widgetAttributes: Record<string, string[]> = {
  variant: ['field', 'button', 'icon', 'float'],
  position: ['bottom-right', 'bottom-left', 'top-right', 'top-left', 'center-right', 'center-left'],
  theme: ['light', 'dark'],
  lang: ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh'],
  scope: ['site', 'all'],
  privacy: ['none'],
  placeholder: [],
  shortcuts: [],
  heading: [],
  greeting: [],
  suggestions: [],
  hide: [],
}

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

function toTag(name: string, values: Record<string, string>): string {
  const given = Object.entries(values).map(
    ([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`,
  )
  return `<${name}${given.join('')}></${name}>`
}

interface Markup {
  /** Address of Lectern, with a trailing slash. */
  server: string
  name: string
  values: Record<string, string>
  /** Additional attributes of the script. */
  script?: Record<string, string>
}

export function toWidgetMarkup({ server, name, values, script = {} }: Markup): string {
  return `${toTag('script', { src: `${server}widget.js`, ...script }).replace('<script', '<script async')}\n${toTag(name, values)}`
}
