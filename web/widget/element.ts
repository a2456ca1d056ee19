// The custom elements: the trigger, the dialog, and loading of the chunks.
import { icons, make, makeIcon, yieldTask } from '../components/make.ts'
import { type Attributes, attributeNames, readAttributes, readHidden, readLanguages } from './attributes.ts'
import type { AskModule, EventName, Host, Kind, Mode, SearchModule, View } from './host.ts'
import { findLabels, type Labels } from './labels.ts'
import styles from './shell.css'
import { makeTrigger } from './shell.ts'
import { matches, readShortcuts, type Shortcut } from './shortcuts.ts'
import { readScheme, watchScheme } from './theme.ts'

export interface OpenOptions {
  mode?: Mode
  query?: string
  /** Whether to search or ask the query at once. */
  submit?: boolean
}

export interface Chunks {
  search(): Promise<SearchModule>
  ask(): Promise<AskModule>
}

export interface ElementOptions {
  kind: Kind
  chunks: Chunks
  /** Base address of the script. Null if unknown. */
  base: string | null
}

/** Shared by all elements of the page. */
const sheets = new Map<string, CSSStyleSheet>()

/** Elements that Tab may move the focus to. Of radio buttons, only the checked one. */
const tabStops = 'a,button,input:not([type=radio]:not(:checked)),textarea,summary,[tabindex]'
/** CSS pixels. On narrower pages, a conversation covers the page. */
const wide = 640

export function createElementClass({ kind, chunks, base }: ElementOptions) {
  const firstMode: Mode = kind === 'ask' ? 'ask' : 'search'

  return class LecternElement extends HTMLElement implements Host {
    readonly root = this.attachShadow({ mode: 'open' })
    readonly kind = kind
    readonly base = base
    marks: Attributes = {}
    #labels: Labels = findLabels([])
    #shortcuts: Shortcut[] = []
    /** The dialog, or the panel itself. */
    #frame: HTMLElement | null = null
    #bodies = new Map<Mode, HTMLElement>()
    #views = new Map<Mode, View>()
    #mounting = new Map<Mode, Promise<void>>()
    #cleanups: (() => void)[] = []
    /** The element that had the focus before. */
    #before: HTMLElement | null = null
    /** Increased when all content is removed. Drops chunks that are still loading. */
    #generation = 0

    connectedCallback() {
      this.dataset.kind = kind
      this.addStyles(styles)
      const observer = new MutationObserver(() => this.#restart())
      observer.observe(this, { attributeFilter: [...attributeNames] })
      document.addEventListener('keydown', this.#takeShortcut)
      this.#cleanups = [
        watchScheme(() => this.#setScheme()),
        () => observer.disconnect(),
        () => document.removeEventListener('keydown', this.#takeShortcut),
      ]
      this.#start()
    }

    disconnectedCallback() {
      this.destroy()
    }

    /** Opens the dialog; a panel gets the focus. */
    open({ mode = firstMode, query = '', submit = false }: OpenOptions = {}): void {
      if (!this.isConnected || !this.emit('before-open', { mode, query })) return
      this.#show(mode)
      this.#use(mode, query, submit)
      this.emit('open', { mode })
    }

    close(): void {
      if (kind === 'panel' || !this.#isOpen() || !this.emit('before-close')) return
      // The hidden field would keep the focus, and receive shortcuts, until the next frame.
      const focused = this.root.activeElement as HTMLElement | null
      focused?.blur()
      ;(this.#frame as HTMLDialogElement).close()
      this.#before?.focus()
      this.#before = null
    }

    /** Removes all content. The element shows nothing until it is added to a page again. */
    destroy(): void {
      for (const cleanup of this.#cleanups.splice(0)) cleanup()
      this.#clear()
      this.root.replaceChildren()
    }

    get failed() {
      return this.#labels.failed
    }

    emit(name: EventName | `before-${EventName}`, detail: object = {}): boolean {
      const cancelable = name.startsWith('before-')
      const options = { bubbles: true, composed: true, cancelable, detail }
      return this.dispatchEvent(new CustomEvent(`lectern:${name}`, options))
    }

    turnTo(mode: Mode, question = ''): void {
      this.#reveal(mode)
      this.#use(mode, question, Boolean(question))
    }

    addStyles(css: string): void {
      const sheet = sheets.get(css) ?? new CSSStyleSheet()
      if (!sheets.has(css)) sheet.replaceSync(css)
      sheets.set(css, sheet)
      if (!this.root.adoptedStyleSheets.includes(sheet)) this.root.adoptedStyleSheets.push(sheet)
    }

    #start() {
      this.marks = readAttributes(this)
      const { shortcuts, opened = 'false' } = this.marks
      this.#labels = findLabels(readLanguages(this.marks, this))
      this.#shortcuts =
        kind === 'panel' ? [] : readShortcuts(shortcuts ?? (kind === 'search' ? 'mod+k,/' : ''))
      this.#setScheme()
      if (kind === 'panel') this.#build()
      else this.root.replaceChildren(this.#makeTrigger())
      if (opened !== 'false') this.open()
    }

    /** Recreates all content after an attribute has changed. Keeps typed text. */
    #restart() {
      const mode = this.#isOpen() && kind !== 'panel' ? (this.#frame!.dataset.mode as Mode) : null
      const query = this.#findInput()?.value
      this.#clear()
      this.#start()
      if (mode && !this.#isOpen()) {
        this.#show(mode)
        this.#use(mode, '', false)
      }
      if (query && this.#frame) this.#type(query)
    }

    /** Sets the text of the waiting field, or of the field that replaced it. */
    #type(query: string) {
      const input = this.#findInput()
      if (input) input.value = query
      void this.#mount('search')
    }

    #findInput() {
      return this.#bodies.get('search')?.querySelector('input')
    }

    #clear() {
      this.#generation += 1
      for (const view of this.#views.values()) view.destroy()
      for (const map of [this.#views, this.#mounting, this.#bodies]) map.clear()
      this.#frame?.remove()
      this.#frame = null
    }

    #setScheme() {
      const { theme } = this.marks
      this.dataset.scheme = theme === 'light' || theme === 'dark' ? theme : readScheme()
    }

    #makeTrigger(): HTMLElement {
      const { search, ask } = this.#labels
      const { variant = kind === 'search' ? 'field' : 'float', position = 'bottom-right' } = this.marks
      const hidden = readHidden(this.marks)
      return makeTrigger({
        ...{ kind, variant, position },
        text: this.marks.placeholder ?? (kind === 'ask' ? ask : search),
        shortcut: hidden.has('key') ? undefined : this.#shortcuts[0],
        hasIcon: !hidden.has('icon'),
        onNear: () => void chunks[firstMode]().catch(() => {}),
        onOpen: () => this.open(),
      })
    }

    #build() {
      const { search, ask } = this.#labels
      const searchBody = make('div', { class: 'body' }, this.#makeWaitingField())
      const askBody = make('div', { class: 'body' })
      this.#bodies.set('search', searchBody).set('ask', askBody)
      const frame = { class: 'frame', 'data-kind': kind }
      this.#frame =
        kind === 'panel'
          ? make('div', { ...frame, part: 'panel' }, searchBody, askBody)
          : make(
              'dialog',
              {
                ...{ ...frame, part: 'dialog', 'aria-label': kind === 'ask' ? ask : search },
                ...{ close: () => this.emit('close'), cancel: this.#cancel, keydown: this.#takeKey },
                // The dialog's bodies fill it, so this is the backdrop.
                click: (event: Event) => event.target === this.#frame && this.close(),
              },
              searchBody,
              askBody,
            )
      this.root.append(this.#frame)
      this.#reveal(this.marks.mode === 'ask' ? 'ask' : firstMode)
    }

    #cancel = (event: Event) => {
      event.preventDefault()
      this.close()
    }

    #takeKey = (event: KeyboardEvent) => {
      // Hides typed keys from the page's shortcuts.
      if (!this.#shortcuts.some((shortcut) => shortcut.mod && matches(shortcut, event)))
        event.stopPropagation()
      if (event.defaultPrevented || event.isComposing) return
      if (event.key === 'Escape') this.#cancel(event)
      this.#takeTab(event)
    }

    /**
     * Moves the focus, from the last element to the first. The browser would leave the dialog at its ends, and Chromium loses the
     * focus if results with `content-visibility: auto` come into view meanwhile.
     */
    #takeTab(event: KeyboardEvent) {
      if (event.key !== 'Tab') return
      const stops = [...this.#frame!.querySelectorAll<HTMLElement>(tabStops)]
      if (event.shiftKey) stops.reverse()
      for (const stop of [
        ...stops.slice(stops.indexOf(this.root.activeElement as HTMLElement) + 1),
        ...stops,
      ]) {
        // Has no effect on elements that are hidden or disabled.
        if (stop.tabIndex >= 0) stop.focus()
        if (stop === this.root.activeElement) return event.preventDefault()
      }
    }

    /** A field that accepts text until the search is loaded. The search keeps it. */
    #makeWaitingField(): HTMLElement {
      const input = make('input', {
        ...{ autocomplete: 'off', spellcheck: 'false', 'aria-label': this.#labels.search },
        placeholder: this.marks.placeholder ?? this.#labels.search,
        focus: () => void this.#mount('search'),
      })
      return make('div', { class: 'waiting' }, makeIcon(icons.search), input)
    }

    #isOpen(): boolean {
      const frame = this.#frame as HTMLDialogElement | null
      return frame?.open ?? !!frame
    }

    #show(mode: Mode) {
      if (!this.#frame) this.#build()
      this.#reveal(mode)
      const input = this.#findInput()
      if (!this.#isOpen()) {
        const frame = this.#frame as HTMLDialogElement
        // Otherwise an end of the dialog gets the focus first, which is slow.
        if (input) input.autofocus = true
        this.#before ??= (this.root.activeElement ?? document.activeElement) as HTMLElement | null
        if (kind === 'search' || innerWidth < wide) frame.showModal()
        else frame.show()
      }
      if (mode === 'search') input?.focus()
    }

    #reveal(mode: Mode) {
      this.#frame!.dataset.mode = mode
      for (const [name, body] of this.#bodies) body.hidden = name !== mode
    }

    #use(mode: Mode, query: string, submit: boolean) {
      if (mode === 'search' && query) this.#type(query)
      void this.#mount(mode).then(() => this.#views.get(mode)?.show(query, submit))
    }

    #mount(mode: Mode): Promise<void> {
      const mounting = this.#mounting.get(mode) ?? this.#load(mode)
      this.#mounting.set(mode, mounting)
      return mounting
    }

    /** Never rejects. */
    async #load(mode: Mode): Promise<void> {
      const generation = this.#generation
      const body = this.#bodies.get(mode)!
      const wait = make('p', { class: 'loading' }, '…')
      body.append(wait)
      await yieldTask()
      try {
        const module = mode === 'search' ? await chunks.search() : await chunks.ask()
        const view =
          'mountSearch' in module ? await module.mountSearch(this, body) : await module.mountAsk(this, body)
        if (generation === this.#generation) this.#views.set(mode, view)
        else view.destroy()
      } catch (error) {
        if (generation !== this.#generation) return
        this.#mounting.delete(mode)
        wait.replaceWith(make('p', { class: 'loading', role: 'alert' }, this.#labels.failed))
        this.emit('error', { code: 'load', message: String(error) })
      }
    }

    #takeShortcut = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      // The page has the focus if the element that had it was removed.
      if (this.#frame?.matches(':modal')) this.#takeTab(event)
      if (!this.#shortcuts.some((shortcut) => matches(shortcut, event))) return
      event.preventDefault()
      this.#isOpen() ? this.close() : this.open()
    }
  }
}
