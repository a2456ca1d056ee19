// The search field with its keys, and the row below it that asks a question. Arrows, Home and End choose a result. Enter opens
// it, with Ctrl or ⌘ in a new tab. Shift+Enter asks. Esc clears.
import { icons, isApple, make, makeIcon } from './make.ts'
import type { Search, SearchPart } from './search.ts'
import { countResults, moveChoice } from './search-state.ts'
import type { Texts } from './texts.ts'

const clearIcon = 'm5 5 10 10M15 5 5 15'

export interface SearchFieldOptions {
  search: Search
  texts: Texts
  /** If absent, Shift+Enter does nothing. */
  onAsk?: ((query: string) => void) | undefined
  /** Called for Esc in an empty field. */
  onLeave?(): void
  placeholder?: string | null
  /** The shortcut of the field, as shown in it, or ''. */
  shortcut?: string
}

export function createSearchField(options: SearchFieldOptions): SearchPart & { input: HTMLInputElement } {
  const { search, texts, onAsk, onLeave, placeholder, shortcut = '' } = options
  const label = placeholder ?? texts.search.label

  function clearField() {
    void search.ask('')
    input.focus()
  }

  function enter(event: KeyboardEvent) {
    const { query, phase, active } = search.state.value
    if (event.shiftKey) return onAsk?.(query.trim())
    if (phase === 'searching') return search.openFirst()
    const root = input.getRootNode() as Document | ShadowRoot
    const result = root.getElementById(`result-${Math.max(0, active)}`) as HTMLAnchorElement | null
    if (!(event.ctrlKey || event.metaKey)) return result?.click()
    if (!result) return
    window.open(result.href, '_blank', 'noopener')
    result.dispatchEvent(new MouseEvent('auxclick', { button: 1 }))
  }

  function leave() {
    const { query, active } = search.state.value
    if (active >= 0) search.choose(-1)
    else if (query !== '') clearField()
    else onLeave?.()
  }

  function handleKey(event: KeyboardEvent) {
    if (event.isComposing) return
    const { query, groups, active } = search.state.value
    const hasModifier = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey
    const next = hasModifier ? null : moveChoice(event.key, active, countResults(groups))
    if (next !== null) search.choose(next)
    else if (event.key === 'Enter') enter(event)
    else if (event.key === 'Escape' && (active >= 0 || query !== '' || onLeave)) leave()
    else return
    event.preventDefault()
    // Keeps a dialog around the field open while there is something to clear.
    event.stopPropagation()
  }

  const input = make('input', {
    id: 'query',
    part: 'input',
    type: 'text',
    enterkeyhint: 'search',
    maxlength: 500,
    autocomplete: 'off',
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: 'false',
    dir: 'auto',
    placeholder: label,
    'aria-label': label,
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': 'results',
    input: () => void search.ask(input.value),
    keydown: handleKey,
  })
  const clear = make(
    'button',
    { class: 'clear', id: 'clear', type: 'button', 'aria-label': texts.search.clear, click: clearField },
    makeIcon(clearIcon),
  )
  const reach = make('kbd', { class: 'reach', id: 'reach', title: texts.search.shortcut }, shortcut)
  const element = make(
    'form',
    {
      class: 'field',
      part: 'field',
      id: 'form',
      role: 'search',
      submit: (event: Event) => event.preventDefault(),
    },
    makeIcon(icons.search),
    input,
    clear,
    ...(shortcut === '' ? [] : [reach]),
    make('span', { class: 'wait', 'aria-hidden': 'true' }),
  )

  return {
    element,
    input,
    update({ query, phase, groups, active }) {
      element.ariaBusy = `${phase === 'searching'}`
      if (input.value !== query) input.value = query
      input.ariaExpanded = `${groups.length > 0}`
      if (active >= 0) input.setAttribute('aria-activedescendant', `result-${active}`)
      else input.removeAttribute('aria-activedescendant')
      clear.hidden = query === ''
      reach.hidden = query !== ''
    },
  }
}

/** `onAsk` receives the text of the field, which may be ''. */
export function createAskRow({ search }: Texts, onAsk: (query: string) => void): SearchPart {
  const [before = '', after = ''] = search.askWith.split('{query}')
  const label = make('span', { class: 'ask-label', id: 'ask-label' })
  let asked = ''
  const element = make(
    'button',
    { part: 'ask', id: 'ask', type: 'button', click: () => onAsk(asked) },
    makeIcon(icons.ask),
    label,
    make(
      'span',
      { class: 'ask-keys', 'aria-hidden': 'true' },
      make('kbd', {}, 'Shift'),
      ' ',
      make('kbd', {}, 'Enter'),
    ),
  )
  return {
    element,
    update({ query }) {
      asked = query.trim()
      element.className = asked === '' ? 'ask empty' : 'ask'
      if (asked === '') label.replaceChildren(search.ask)
      else label.replaceChildren(make('bdi', {}, before, make('strong', { dir: 'auto' }, asked), after))
    },
  }
}

/** The hints for keys. */
export function makeKeyHints({ keys }: Texts, canAsk: boolean): HTMLElement {
  const hint = (names: string[], text: string) =>
    make('span', {}, ...names.flatMap((name) => [make('kbd', {}, name), ' ']), text)
  return make(
    'footer',
    { class: 'keys', id: 'keys' },
    hint(['↑', '↓'], keys.choose),
    hint(['Enter'], keys.open),
    hint([isApple ? '⌘' : 'Ctrl', 'Enter'], keys.openAside),
    hint(['Esc'], keys.clear),
    // Last, because it may not fit: the row that asks shows the same keys.
    ...(canAsk ? [hint(['Shift', 'Enter'], keys.ask)] : []),
  )
}
