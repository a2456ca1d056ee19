// What of a page is never content, whichever generator made it: scripts, hidden text, navigation, controls.
import { toOwnText } from './own-text.ts'

/** Names of a class attribute. */
export function classNames(value: string): string[] {
  return value.split(/\s+/)
}

const maxRemembered = 2000

/** A set of class names that remembers its answer for each class attribute seen: pages repeat a few of them. */
export interface ClassSet {
  match(value: string): boolean
}

/** `name*` in the list matches every class that starts with `name`. */
export function createClassSet(names: string[]): ClassSet {
  const exact = new Set(names.filter((name) => !name.endsWith('*')))
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  const remembered = new Map<string, boolean>()
  const test = (name: string) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return {
    match(value) {
      const known = remembered.get(value)
      if (known !== undefined) return known
      const answer = classNames(value).some(test)
      if (remembered.size >= maxRemembered) remembered.clear()
      if (value.length < 200) remembered.set(toOwnText(value), answer)
      return answer
    },
  }
}

export const unseenTags = new Set(
  `script style title template svg noscript nav footer button select textarea input iframe object canvas video audio map
   dialog annotation annotation-xml noframes noembed`.split(/\s+/),
)

export const unseenRoles = new Set(['navigation', 'search', 'banner', 'contentinfo', 'dialog', 'alertdialog'])

export const unseenClasses = createClassSet(
  `headerlink hash-link header-anchor anchorjs-link heading-anchor permalink
   sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only skip-link skip-to-content
   breadcrumb breadcrumbs pagination prev-next-area edit-this-page edit-page-link
   cookie-banner cookie-consent cookieconsent cookie-notice
   linenos lineno linenodiv line-numbers-wrapper line-numbers-rows gutter hljs-ln-numbers rouge-gutter
   copybtn copy-button`.split(/\s+/),
)

/** Declarations that leave nothing to see: not shown, without size or colour, or far off the page. */
const hidingStyle = new RegExp(
  `(?:^|;)\\s*(?:${[
    'display\\s*:\\s*none',
    'visibility\\s*:\\s*(?:hidden|collapse)',
    'font-size\\s*:\\s*0(?:\\.0*)?(?:px|pt|em|rem|%)?\\s*(?:;|!|$)',
    'color\\s*:\\s*transparent',
    '(?:left|right|top|bottom|text-indent|margin-left)\\s*:\\s*-\\d{4,}(?:\\.\\d+)?(?:px|em|rem|pt)',
    'clip\\s*:\\s*rect\\(\\s*[01](?:px)?[\\s,]+[01](?:px)?[\\s,]+[01](?:px)?[\\s,]+[01](?:px)?\\s*\\)',
    'clip-path\\s*:\\s*inset\\(\\s*(?:50|100)%',
  ].join('|')})`,
  'i',
)
/** Pages that fade in begin like this too: then something moves. */
const clear = /(?:^|;)\s*opacity\s*:\s*0(?:\.0*)?%?\s*(?:;|!|$)/i
const moving = /transform|transition|animation|will-change/i

/** Whether attributes hide an element for good; a tab that is not in front is one click away, so it counts as seen. */
export function isHidden(attribs: Record<string, string>): boolean {
  if (attribs['aria-hidden'] === 'true') return true
  if (attribs.role === 'tabpanel') return false
  if (attribs.hidden !== undefined && attribs.hidden !== 'until-found') return true
  const { style } = attribs
  return style !== undefined && (hidingStyle.test(style) || (clear.test(style) && !moving.test(style)))
}

const unseenCharacters = /[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/gu

/** Text without what takes no room or turns the direction of what follows: a reader would not see what a machine reads. */
export function seenText(text: string): string {
  return text.replace(unseenCharacters, '')
}
