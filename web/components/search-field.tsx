// The search field with its keys, and what stands below it: the row that leads to a question, and the filters.
// The arrows, Home and End choose a result, Enter opens it (with Ctrl or ⌘ in a new tab, with Shift asks), Esc clears.
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'
import type { Search } from './search.ts'
import { countResults, moveChoice } from './search-state.ts'
import { useStore } from './store.ts'
import { useTexts } from './texts.ts'

export interface SearchFieldProps {
  search: Search
  inputRef?: RefObject<HTMLInputElement | null>
  /** Without it, Shift+Enter does nothing. */
  onAsk?(query: string): void
  /** Esc in an empty field. */
  onLeave?(): void
  autofocus?: boolean
  placeholder?: string | undefined
  /** The key that reaches the field, as it is shown in it; '' for none. */
  shortcut?: string
}

export function SearchField({ search, inputRef, onAsk, onLeave, ...props }: SearchFieldProps) {
  const { autofocus = false, placeholder, shortcut = '' } = props
  const texts = useTexts()
  const own = useRef<HTMLInputElement>(null)
  const input = inputRef ?? own
  const { query, phase, groups, active } = useStore(search.state)
  const count = countResults(groups)

  function clear() {
    void search.ask('')
    input.current?.focus()
  }

  function enter(event: KeyboardEvent) {
    if (event.shiftKey) return onAsk?.(query.trim())
    if (phase === 'searching') return search.openFirst()
    const result = findResult(input.current, Math.max(0, active))
    if (!(event.ctrlKey || event.metaKey)) return result?.click()
    if (!result) return
    window.open(result.href, '_blank', 'noopener')
    result.dispatchEvent(new MouseEvent('auxclick', { button: 1 }))
  }

  function leave() {
    if (active >= 0) search.choose(-1)
    else if (query !== '') clear()
    else onLeave?.()
  }

  function handleKey(event: KeyboardEvent) {
    if (event.isComposing) return
    const hasModifier = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey
    const next = hasModifier ? null : moveChoice(event.key, active, count)
    if (next !== null) search.choose(next)
    else if (event.key === 'Enter') enter(event)
    else if (event.key === 'Escape' && (active >= 0 || query !== '' || onLeave)) leave()
    else return
    event.preventDefault()
    // A dialog around the field closes only when there is nothing left to clear.
    event.stopPropagation()
  }

  return (
    <form
      class="field"
      part="field"
      id="form"
      role="search"
      aria-busy={phase === 'searching'}
      onSubmit={(event) => event.preventDefault()}
    >
      <Icon name="search" />
      <input
        id="query"
        part="input"
        ref={input}
        type="text"
        enterkeyhint="search"
        maxLength={500}
        autofocus={autofocus}
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck={false}
        dir="auto"
        placeholder={placeholder ?? texts.search.label}
        aria-label={placeholder ?? texts.search.label}
        role="combobox"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={count > 0}
        aria-controls="results"
        aria-activedescendant={active >= 0 ? `result-${active}` : undefined}
        value={query}
        onInput={(event) => void search.ask(event.currentTarget.value)}
        onKeyDown={handleKey}
      />
      <button
        class="clear"
        id="clear"
        type="button"
        aria-label={texts.search.clear}
        hidden={query === ''}
        onClick={clear}
      >
        <Icon name="clear" />
      </button>
      {shortcut !== '' && (
        <kbd class="reach" id="reach" title={texts.search.shortcut} hidden={query !== ''}>
          {shortcut}
        </kbd>
      )}
      <span class="wait" aria-hidden="true" />
    </form>
  )
}

/** The link of a result, in the document or shadow root of `near`. */
export function findResult(near: Element | null, index: number): HTMLAnchorElement | null {
  const root = near?.getRootNode() as Document | ShadowRoot | undefined
  return (root?.getElementById(`result-${index}`) as HTMLAnchorElement | null | undefined) ?? null
}

/** `onAsk` hears what is in the field, '' for nothing. */
export function AskRow({ query, onAsk }: { query: string; onAsk(query: string): void }) {
  const { search } = useTexts()
  const trimmed = query.trim()
  const [before, after] = search.askWith.split('{query}')
  return (
    <button
      class={trimmed === '' ? 'ask empty' : 'ask'}
      part="ask"
      id="ask"
      type="button"
      onClick={() => onAsk(trimmed)}
    >
      <Icon name="ask" />
      <span class="ask-label" id="ask-label">
        {trimmed === '' ? (
          search.ask
        ) : (
          <>
            {before}
            <strong dir="auto">{trimmed}</strong>
            {after}
          </>
        )}
      </span>
      <span class="ask-keys" aria-hidden="true">
        <kbd>Shift</kbd> <kbd>Enter</kbd>
      </span>
    </button>
  )
}

/** Radio buttons, so that the keyboard works them as everywhere. */
export function Filters({ search, titles }: { search: Search; titles: string[] }) {
  const texts = useTexts().search
  const { query, filter } = useStore(search.state)
  if (titles.length === 0) return null
  const chip = (value: string, label: string) => (
    <label class="chip" key={value}>
      <input
        type="radio"
        name="filter"
        value={value}
        checked={value === filter}
        onChange={() => void search.ask(query, value)}
      />
      <span dir="auto">{label}</span>
    </label>
  )
  return (
    <fieldset class="filters" part="filters" id="filters">
      <legend>{texts.filters}</legend>
      {chip('', texts.everything)}
      {titles.map((title) => chip(title, title))}
    </fieldset>
  )
}

/** What a screen shows of the keys. */
export function KeyHints({ canAsk }: { canAsk: boolean }) {
  const { keys } = useTexts()
  const hint = (names: string[], text: string) => (
    <span>
      {names.map((name) => (
        <>
          <kbd>{name}</kbd>{' '}
        </>
      ))}
      {text}
    </span>
  )
  return (
    <footer class="keys" id="keys">
      {hint(['↑', '↓'], keys.choose)}
      {hint(['Enter'], keys.open)}
      {hint(['Ctrl', 'Enter'], keys.openAside)}
      {canAsk && hint(['Shift', 'Enter'], keys.ask)}
      {hint(['Esc'], keys.clear)}
    </footer>
  )
}
