// The attributes of Lectern's elements.

/** Attribute → value. Attributes that are not in the markup are absent. */
export type Attributes = Partial<Record<AttributeName, string>>

export const attributeNames = [
  'project',
  'api-url',
  'api-key',
  'lang',
  'strings',
  'filter',
  'version',
  'language',
  'scope',
  'email',
  'metadata',
  'privacy',
  'greeting',
  'suggestions',
  'think',
  'heading',
  'disclaimer',
  'hide',
  'variant',
  'position',
  'placeholder',
  'shortcuts',
  'theme',
  'mode',
  'opened',
] as const

export type AttributeName = (typeof attributeNames)[number]

export function readAttributes(element: Element): Attributes {
  const values = attributeNames.map((name) => [name, element.getAttribute(name)])
  return Object.fromEntries(values.filter(([, value]) => value !== null))
}

/** Languages of the texts, best first. */
export function readLanguages({ lang }: Attributes, element: Element): string[] {
  const language = lang ?? element.closest('[lang]')?.getAttribute('lang') ?? ''
  return [language, ...navigator.languages].filter(Boolean)
}

/** The parts listed in `hide`. */
export function readHidden({ hide = '' }: Attributes): ReadonlySet<string> {
  return new Set(hide.split(/[\s,]+/))
}
