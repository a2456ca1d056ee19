// The hosted service's elements. Each shows a Lectern element with translated attributes in its shadow root.
import { isOn, oldAttributes, oldProperties, translate } from './old-attributes.ts'
import { watchScheme } from './theme.ts'

/** Detail of a Lectern event → the old events with their details. */
type OldEvents = (detail: { question?: string; answer?: string; messageId?: string }) => [string, unknown][]

const buttonStyles: Record<string, string> = {
  dark: 'border-color: transparent; border-radius: 2em; background: var(--lectern-accent); color: var(--lectern-on-accent)',
  light:
    'border-color: transparent; border-radius: 2em; background: var(--lectern-surface); color: var(--lectern-accent)',
  rounded: 'border-radius: 2em',
}
const dialogPositions: Record<string, string> = {
  'sidebar-right': 'inset: 0 0 0 auto; block-size: 100dvh; max-block-size: none; border-radius: 0',
  'sidebar-left': 'inset: 0 auto 0 0; block-size: 100dvh; max-block-size: none; border-radius: 0',
  'bottom-left': 'right: auto; left: var(--lectern-offset, 1.25rem)',
  'top-right': 'inset-block: var(--lectern-offset, 1.25rem) auto',
  'top-left':
    'inset-block: var(--lectern-offset, 1.25rem) auto; right: auto; left: var(--lectern-offset, 1.25rem)',
}

/** Shows the title: Lectern's elements have it only for screen readers. */
const suggestionsTitle =
  '::part(suggestions)::before { content: attr(aria-label); inline-size: 100%; color: var(--lectern-muted); font-size: smaller }'

/** The style sheet of the shadow root, from button-style, modal-position and the page's custom properties. */
function toStyles(element: Element): string {
  const style = getComputedStyle(element)
  const isSearch = element.localName.includes('search')
  const buttonStyle = element.getAttribute('button-style') ?? ''
  const other = isSearch ? /^--biel-(bot|button|input)/ : /^--biel-search/
  const unused = buttonStyle === 'light' ? /^--biel-button-dark/ : /^--biel-button-light/
  const own: string[] = []
  const rules = [`::part(button) { ${buttonStyles[buttonStyle] ?? ''} }`]
  if (element.hasAttribute('suggested-questions-title')) rules.push(suggestionsTitle)
  const position = isSearch ? undefined : dialogPositions[element.getAttribute('modal-position') ?? '']
  if (position) rules.push(`@media (width >= 40rem) { ::part(dialog) { ${position} } }`)
  for (const [name, [target, ...defaults]] of Object.entries(oldProperties)) {
    const value = style.getPropertyValue(name).trim()
    if (value === '' || defaults.includes(value) || other.test(name) || unused.test(name)) continue
    const [part, property] = target.split(' ')
    if (property) rules.push(`::part(${part}) { ${property}: var(${name}) }`)
    else own.push(`${target}: var(${name})`)
  }
  if (isOn(element.getAttribute('custom-font'))) own.push(`--lectern-font: ${style.fontFamily}`)
  return `:host > * { ${own.join('; ')} } ${rules.join(' ')}`
}

const opened: Record<string, string> = {
  'biel-button': 'bielBotButtonClick',
  'biel-search-button': 'bielSearchButtonClick',
}

/** Shows Lectern's element in the old one. Returns the function that removes it. */
export function showOld(element: HTMLElement): () => void {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  const dispatch = (name: string, detail?: unknown) =>
    element.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }))
  const bielId = element.getAttribute('biel-id') ?? element.localName
  const heard: Record<string, OldEvents> = {
    open: () => (opened[element.localName] ? [[opened[element.localName]!, undefined]] : []),
    close: () => [['closeBot', undefined]],
    ask: ({ question }) => [['messageSent', { bielId, message: question }]],
    answer: ({ answer, messageId }) => [
      ['addMessageText', { bielId, text: answer, id: 0 }],
      ['partialMessageComplete', { bielId, partialId: 0, msg: { text: answer, sender: 'ai', messageId } }],
    ],
  }

  const sheet = new CSSStyleSheet()
  root.adoptedStyleSheets = [sheet]
  const restyle = () => sheet.replaceSync(toStyles(element))
  function draw() {
    const { name, attributes, refused } = translate(element.localName, (each) => element.getAttribute(each))
    const inner = document.createElement(name)
    for (const [each, value] of Object.entries(attributes)) inner.setAttribute(each, value)
    inner.setAttribute(
      'exportparts',
      'button, dialog, panel, input, result, title, mark, answer, sources, send, suggestions',
    )
    inner.append(document.createElement('slot'))
    restyle()
    for (const [each, events] of Object.entries(heard)) {
      inner.addEventListener(`lectern:${each}`, (event) => {
        for (const [old, detail] of events((event as CustomEvent).detail)) dispatch(old, detail)
      })
    }
    for (const each of ['open', 'ask']) {
      inner.addEventListener(`lectern:before-${each}`, (event) => {
        if (event.defaultPrevented || agrees(element)) return
        event.preventDefault()
        dispatch('termsDeclined', true)
      })
    }
    root.replaceChildren(inner)
    if (refused.length > 0) {
      const message = `Not followed: ${refused.join(', ')}.`
      dispatch('lectern:error', { code: 'attributes', message, attributes: refused })
    }
  }
  draw()
  const stopWatching = watchScheme(restyle)
  // The page's style attribute may also have custom properties.
  const styleObserver = new MutationObserver(restyle)
  styleObserver.observe(document.documentElement, { attributeFilter: ['style'] })
  const observer = new MutationObserver(draw)
  observer.observe(element, { attributes: true, attributeFilter: Object.keys(oldAttributes) })
  return () => {
    observer.disconnect()
    stopWatching()
    styleObserver.disconnect()
    root.replaceChildren()
  }
}

const agreed = 'lectern-terms'

/** Whether the reader accepts the terms of the site, which are shown once. */
function agrees(element: HTMLElement): boolean {
  if (!isOn(element.getAttribute('show-terms-modal'))) return true
  try {
    if (localStorage.getItem(agreed) !== null) return true
  } catch {
    // Without storage, the terms are shown each time.
  }
  const parts = ['terms-title', 'terms-description', 'terms-checkbox-text'].map(
    (each) => element.getAttribute(each) ?? '',
  )
  // Descriptions contain links: shows them as text.
  const text = parts.map((part) => part.replace(/<[^>]*>/g, '')).filter(Boolean)
  if (!confirm(text.join('\n\n') || 'Terms & Conditions')) return false
  try {
    localStorage.setItem(agreed, new Date().toISOString())
  } catch {
    // Without storage, as above.
  }
  return true
}
