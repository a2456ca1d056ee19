// Keyboard shortcuts of a widget: `mod+k,/`. `mod` is ⌘ on Apple's systems and Ctrl elsewhere.
import { isApple } from '../components/make.ts'

export interface Shortcut {
  mod: boolean
  alt: boolean
  shift: boolean
  /** Lower case, as in KeyboardEvent.key. */
  key: string
}

/** Returns an empty list for `none` and ''. Ignores invalid shortcuts. */
export function readShortcuts(text: string): Shortcut[] {
  return text
    .toLowerCase()
    .split(',')
    .flatMap((each) => {
      const key = each.trim().split('+').pop()!
      if (key === '' || key === 'none') return []
      const has = (names: RegExp) => names.test(each)
      return [{ mod: has(/(?:mod|ctrl|cmd)\+/), alt: has(/alt\+/), shift: has(/shift\+/), key }]
    })
}

/** Text for a key cap: `⌘K`, `Ctrl K`, `/`. */
export function toCap({ mod, alt, shift, key }: Shortcut): string {
  const names = isApple ? ['⌘', '⌥', '⇧'] : ['Ctrl ', 'Alt ', 'Shift ']
  const modifiers = [mod, alt, shift].map((isHeld, at) => (isHeld ? names[at] : ''))
  return modifiers.join('') + key.toUpperCase()
}

/** The value for `aria-keyshortcuts`. */
export function toAria({ mod, alt, shift, key }: Shortcut): string {
  return [mod && 'Control', alt && 'Alt', shift && 'Shift', key].filter(Boolean).join('+')
}

/** Whether the event is this shortcut, and not a letter that is typed into an element of the page. */
export function matches(shortcut: Shortcut, event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() !== shortcut.key || event.altKey !== shortcut.alt) return false
  if (shortcut.mod) return (isApple ? event.metaKey : event.ctrlKey) && event.shiftKey === shortcut.shift
  return !event.metaKey && !event.ctrlKey && !isTyping(event)
}

/** Elements that can have the focus, but accept no text. Any other focused element may be an editor in a closed shadow root. */
const plain = 'html,body,a[href],area,button,summary,iframe,[tabindex]'

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  if (!(target instanceof Element)) return false
  const isEditor = (target as HTMLElement).isContentEditable || target.matches('input,textarea,select')
  return isEditor || target.localName.includes('-') || !target.matches(plain)
}
