// Makes what the loader shows: the trigger, and the icons and elements of the dialog.
import type { Kind } from './host.ts'
import { type Shortcut, toAria, toCap } from './shortcuts.ts'

type Child = Node | string

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

export function makeIcon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', path)
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('aria-hidden', 'true')
  svg.append(line)
  return svg
}

export const icons = {
  search: 'M8.5 3a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM12.5 12.5 17 17',
  ask: 'M4 4h12v9H9l-4 3v-3H4zM7.5 7.5h5M7.5 10h3',
}

export interface TriggerOptions {
  kind: Kind
  /** `field`, `button`, `icon`, `float`, `none` */
  variant: string
  /** `bottom-right` and the like, of a floating one. */
  position: string
  /** Shown where the element has no text of its own. */
  text: string
  shortcut: Shortcut | undefined
  hasIcon: boolean
}

export function makeTrigger({
  kind,
  variant,
  position,
  text,
  shortcut,
  hasIcon,
}: TriggerOptions): HTMLButtonElement {
  const label = make('span', { class: 'label' }, make('slot', {}, text))
  const button = make('button', {
    type: 'button',
    part: 'button',
    class: 'trigger',
    'data-variant': variant,
    'aria-haspopup': 'dialog',
  })
  if (hasIcon) button.append(makeIcon(icons[kind === 'ask' ? 'ask' : 'search']))
  button.append(label)
  if (variant === 'icon') button.title = text
  else if (shortcut) button.append(make('kbd', { part: 'key', 'aria-hidden': 'true' }, toCap(shortcut)))
  if (shortcut) button.setAttribute('aria-keyshortcuts', toAria(shortcut))
  button.hidden = variant === 'none'
  button.dataset.position = position
  return button
}
