// The elements of the hosted service's sites: each shows one of Lectern's in its shadow root, with its attributes translated.
import { type Effect, oldAttributes, oldProperties } from './old-attributes.ts'

/** What a wrapped element dispatches → the old events, with their details. */
type OldEvents = (detail: { question?: string; answer?: string; messageId?: string }) => [string, unknown][]

const isOn = (value: string | null) => value !== null && value !== 'false'

interface Wrapped {
  name: 'lectern-search' | 'lectern-ask' | 'lectern-panel'
  attributes: Record<string, string>
}

/** What an old element with these attributes shows. */
export function translate(name: string, get: (attribute: string) => string | null): Wrapped {
  const attributes: Record<string, string> = {}
  const strings: Record<string, Record<string, string>> = {}
  const hidden: string[] = []
  // The old search hides its filters unless it is told not to.
  if (get('hide-filters') === null) hidden.push('filters')
  for (const [attribute, effect] of Object.entries(oldAttributes)) {
    const value = get(attribute)
    if (value !== null) apply(effect, value)
  }

  function apply(effect: Effect, value: string) {
    if (effect === null || value === '') return
    if ('to' in effect) attributes[effect.to] = value
    if ('hide' in effect && value !== 'false') hidden.push(effect.hide)
    if (!('text' in effect)) return
    const [group, key] = effect.text.split('.') as [string, string]
    strings[group] = { ...strings[group], [key]: value }
  }

  const isSearch = name === 'biel-search' || name === 'biel-search-button'
  const position = get('button-position') ?? 'default'
  const questions = get('suggested-questions')
  if (questions) attributes.suggestions = questions.split(',').join('|')
  if (get('keep-conversation') === 'false') attributes.privacy = 'none'
  if (position !== 'default') attributes.position = position
  if (isSearch) attributes.variant = name === 'biel-search' ? 'none' : 'button'
  else attributes.variant = name === 'biel-bot' ? 'none' : position === 'default' ? 'button' : 'float'
  if (name === 'biel-search-button') attributes.shortcuts = 'mod+k'
  if (Object.keys(strings).length > 0) attributes.strings = JSON.stringify(strings)
  if (hidden.length > 0) attributes.hide = hidden.join(' ')
  if (name === 'biel-bot' && isOn(get('embedded-mode'))) {
    return { name: 'lectern-panel', attributes: { ...attributes, mode: 'ask' } }
  }
  return { name: isSearch ? 'lectern-search' : 'lectern-ask', attributes }
}

const opened: Record<string, string> = {
  'biel-button': 'bielBotButtonClick',
  'biel-search-button': 'bielSearchButtonClick',
}

/** Shows Lectern's element in the old one, until the answer is called. */
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

  let inner: HTMLElement
  function draw() {
    const { name, attributes } = translate(element.localName, (each) => element.getAttribute(each))
    inner = document.createElement(name)
    for (const [each, value] of Object.entries(attributes)) inner.setAttribute(each, value)
    inner.setAttribute('exportparts', 'button, dialog, panel, input, result, answer, sources')
    inner.append(document.createElement('slot'))
    const style = getComputedStyle(element)
    for (const [old, property] of Object.entries(oldProperties)) {
      const value = style.getPropertyValue(old)
      if (value) inner.style.setProperty(property, value)
    }
    if (isOn(element.getAttribute('custom-font'))) inner.style.setProperty('--lectern-font', style.fontFamily)
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
  }
  draw()
  const observer = new MutationObserver(draw)
  observer.observe(element, { attributes: true, attributeFilter: Object.keys(oldAttributes) })
  return () => {
    observer.disconnect()
    root.replaceChildren()
  }
}

const agreed = 'lectern-terms'

/** Whether the reader agrees to the terms of the site, which are shown once. */
function agrees(element: HTMLElement): boolean {
  if (!isOn(element.getAttribute('show-terms-modal'))) return true
  try {
    if (localStorage.getItem(agreed) !== null) return true
  } catch {
    // Storage is closed to this page: the terms are shown each time.
  }
  const parts = ['terms-title', 'terms-description', 'terms-checkbox-text'].map(
    (each) => element.getAttribute(each) ?? '',
  )
  // Descriptions hold links: as text.
  const text = parts.map((part) => part.replace(/<[^>]*>/g, '')).filter(Boolean)
  if (!confirm(text.join('\n\n') || 'Terms & Conditions')) return false
  try {
    localStorage.setItem(agreed, new Date().toISOString())
  } catch {
    // The same.
  }
  return true
}
