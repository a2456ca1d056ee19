// Whether the page around a widget is light or dark: by the marks of the common documentation themes, else by the system.

export type Scheme = 'light' | 'dark'

/** Attributes of <html> and <body> that themes set. */
const marks = [
  'data-theme',
  'data-md-color-scheme',
  'data-bs-theme',
  'data-color-mode',
  'data-color-scheme',
  'class',
  'style',
]
const darkNames = new Set(['dark', 'slate', 'night', 'black'])
const lightNames = new Set(['light', 'default', 'day', 'white'])

function nameOfScheme(value: string | null): Scheme | null {
  if (value === null) return null
  if (darkNames.has(value)) return 'dark'
  return lightNames.has(value) ? 'light' : null
}

function readElement(element: Element): Scheme | null {
  for (const mark of marks.slice(0, 5)) {
    const scheme = nameOfScheme(element.getAttribute(mark))
    if (scheme !== null) return scheme
  }
  const { classList } = element
  if (classList.contains('dark') || classList.contains('theme-dark')) return 'dark'
  return classList.contains('light') || classList.contains('theme-light') ? 'light' : null
}

const system = matchMedia('(prefers-color-scheme: dark)')

export function readScheme(): Scheme {
  const elements = [document.documentElement, document.body].filter((element) => element !== null)
  for (const element of elements) {
    const scheme = readElement(element)
    if (scheme !== null) return scheme
  }
  return system.matches ? 'dark' : 'light'
}

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}
const observer = new MutationObserver(notify)

/** Calls the listener when the scheme may have changed. Answers how to stop. */
export function watchScheme(listener: () => void): () => void {
  if (listeners.size === 0) {
    const options = { attributes: true, attributeFilter: marks }
    observer.observe(document.documentElement, options)
    if (document.body) observer.observe(document.body, options)
    system.addEventListener('change', notify)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    observer.disconnect()
    system.removeEventListener('change', notify)
  }
}
