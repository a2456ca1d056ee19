// The custom elements: what a page shows before a reader opens the widget, the dialog, and the chunks that it loads.
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
  /** Whether the query is searched for, or asked, at once. */
  submit?: boolean
}

export interface Chunks {
  search(): Promise<SearchModule>
  ask(): Promise<AskModule>
}

export interface ElementOptions {
  kind: Kind
  chunks: Chunks
  /** Where the script came from; null where nobody knows. */
  base: string | null
}

/** Shared by all elements of the page. */
const sheets = new Map<string, CSSStyleSheet>()

/** What can have the focus. */
const focusable = 'a,button,input,textarea,summary,[tabindex]:not(span)'
/** In CSS pixels: beside a narrower page there is no room for a conversation. */
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
    /** What had the focus before the dialog. */
    #before: HTMLElement | null = null
    /** Grows when everything is taken away: what is still loading is then dropped. */
    #generation = 0

    connectedCallback() {
      this.dataset.kind = kind
      this.addStyles(styles)
      const observer = new MutationObserver(() => this.#restart())
      observer.observe(this, { attributeFilter: [...attributeNames] })
      const onKey = (event: KeyboardEvent) => this.#takeShortcut(event)
      document.addEventListener('keydown', onKey)
      this.#cleanups = [
        watchScheme(() => this.#setScheme()),
        () => observer.disconnect(),
        () => document.removeEventListener('keydown', onKey),
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
      // Until the next frame the hidden field would keep the focus, and with it the page's next shortcut.
      const focused = this.root.activeElement as HTMLElement | null
      focused?.blur()
      ;(this.#frame as HTMLDialogElement).close()
      this.#before?.focus()
      this.#before = null
    }

    /** Takes everything away; the element shows nothing until it is put into a page again. */
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
      const { shortcuts, opened } = this.marks
      this.#labels = findLabels(readLanguages(this.marks, this))
      this.#shortcuts =
        kind === 'panel' ? [] : readShortcuts(shortcuts ?? (kind === 'search' ? 'mod+k,/' : ''))
      this.#setScheme()
      if (kind === 'panel') this.#build()
      else this.root.replaceChildren(this.#makeTrigger())
      if (opened !== undefined && opened !== 'false') this.open()
    }

    /** An attribute has changed: all is made anew, and what was typed stays. */
    #restart() {
      const mode = this.#isOpen() && kind !== 'panel' ? (this.#frame!.dataset.mode as Mode) : null
      const query = this.#findInput()?.value
      this.#clear()
      this.#start()
      if (mode !== null && !this.#isOpen()) {
        this.#show(mode)
        this.#use(mode, '', false)
      }
      if (query && this.#frame) this.#type(query)
    }

    /** Into the field that waits for the search, or into the one that took its place. */
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
                // What is inside lies in its bodies, which fill it.
                click: (event: Event) => event.target === this.#frame && this.close(),
              },
              ...[this.#makeEnd(-1), searchBody, askBody, this.#makeEnd(0)],
            )
      this.root.append(this.#frame)
      this.#reveal(this.marks.mode === 'ask' ? 'ask' : firstMode)
    }

    #cancel = (event: Event) => {
      event.preventDefault()
      this.close()
    }

    #takeKey = (event: KeyboardEvent) => {
      // What is typed here is none of the page's shortcuts.
      if (!this.#shortcuts.some((shortcut) => shortcut.mod && matches(shortcut, event)))
        event.stopPropagation()
      if (event.key === 'Escape' && !event.defaultPrevented) this.#cancel(event)
    }

    /** A field that takes letters until the search is loaded, which keeps them. */
    #makeWaitingField(): HTMLElement {
      const input = make('input', {
        ...{ autocomplete: 'off', spellcheck: 'false', 'aria-label': this.#labels.search },
        placeholder: this.marks.placeholder ?? this.#labels.search,
        focus: () => void this.#mount('search'),
      })
      return make('div', { class: 'waiting' }, makeIcon(icons.search), input)
    }

    /** At an end of the dialog: whoever tabs to it comes to the other end. */
    #makeEnd(index: 0 | -1): HTMLElement {
      const turnRound = () => {
        const all = [...this.#frame!.querySelectorAll<HTMLElement>(focusable)]
        all
          .filter((each) => each.tabIndex >= 0 && each.checkVisibility())
          .at(index)
          ?.focus()
      }
      return make('span', { tabindex: 0, focus: turnRound })
    }

    #isOpen(): boolean {
      const frame = this.#frame as HTMLDialogElement | null
      return frame?.open ?? frame !== null
    }

    #show(mode: Mode) {
      if (this.#frame === null) this.#build()
      this.#reveal(mode)
      const input = this.#findInput()
      if (!this.#isOpen()) {
        const frame = this.#frame as HTMLDialogElement
        // Else an end of the dialog gets the focus first, and looks for all that can have it.
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

    #takeShortcut(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing) return
      if (!this.#shortcuts.some((shortcut) => matches(shortcut, event))) return
      event.preventDefault()
      this.#isOpen() ? this.close() : this.open()
    }
  }
}
