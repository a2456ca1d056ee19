// Creates elements without a library, for the loader and the search.

export type Child = Node | string
type Value = string | number | boolean | undefined | ((event: never) => unknown)

/** A function becomes a listener of the event of its name. `undefined` and `false` omit the attribute. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value as EventListener)
    else if (value !== undefined && value !== false)
      element.setAttribute(key, value === true ? '' : `${value}`)
  }
  element.append(...children)
  return element
}

/** Whether the system uses ⌘ instead of Ctrl. */
export const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** Lets the browser handle pending events, such as keys, before work continues. */
export function yieldTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** Paths in a 20 × 20 box. */
export const icons = {
  search: 'M14 8.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM12.7 12.7l4.8 4.8',
  ask: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5z',
}

export function makeIcon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', path)
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', 'icon')
  svg.append(line)
  return svg
}
