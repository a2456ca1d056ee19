// Detects whether the page is light or dark: by the attributes of common documentation themes, else by the system.

export type Scheme = 'light' | 'dark'

/** Attributes of <html> and <body> that themes set. */
const marks = [
  'data-theme',
  'data-md-color-scheme',
  'data-bs-theme',
  'data-color-mode',
  'data-color-scheme',
  'class',
]
/** What an attribute is if the page is dark, and if it is light. */
const values = [/^(?:dark|slate|night|black)$/, /^(?:light|default|day|white)$/] as const
const classes = [/(?:^|\s)(?:theme-)?dark(?:\s|$)/, /(?:^|\s)(?:theme-)?light(?:\s|$)/] as const

function readMark(mark: string, value: string): Scheme | null {
  const [dark, light] = mark === 'class' ? classes : values
  return dark.test(value) ? 'dark' : light.test(value) ? 'light' : null
}

const system = matchMedia('(prefers-color-scheme: dark)')

export function readScheme(): Scheme {
  for (const element of [document.documentElement, document.body]) {
    for (const mark of marks) {
      const scheme = readMark(mark, element?.getAttribute(mark) ?? '')
      if (scheme) return scheme
    }
  }
  return system.matches ? 'dark' : 'light'
}

/** Calls the listener when the scheme may have changed. Returns the function that stops it. */
export function watchScheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  for (const element of [document.documentElement, document.body]) {
    if (element) observer.observe(element, { attributeFilter: marks })
  }
  system.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', listener)
  }
}
