// The interface between the loader and the chunks that it loads.
import type { Attributes } from './attributes.ts'

/** `search` and `ask` open a dialog, `panel` is part of the page. */
export type Kind = 'search' | 'ask' | 'panel'
export type Mode = 'search' | 'ask'

export type EventName =
  | 'open'
  | 'close'
  | 'search'
  | 'results'
  | 'click'
  | 'ask'
  | 'answer'
  | 'source'
  | 'feedback'
  | 'copy'
  | 'error'

/** The element. */
export interface Host extends HTMLElement {
  readonly root: ShadowRoot
  readonly kind: Kind
  /** Current values. */
  readonly marks: Attributes
  /** Base address of the script. Null if unknown. */
  readonly base: string | null
  /** Text shown if a chunk could not be loaded. */
  readonly failed: string
  /** Dispatches `lectern:{name}`. Returns false if a listener prevented a `before-…` event. */
  emit(name: EventName | `before-${EventName}`, detail?: object): boolean
  /** Adds styles to the shadow root, once. */
  addStyles(css: string): void
  /** Shows the search or the conversation, and asks the question unless it is ''. */
  turnTo(mode: Mode, question?: string): void
  close(): void
}

/** A chunk's view in the body of a dialog or panel. */
export interface View {
  /** Takes the focus. `query` is put into the field, and with `submit` searched or asked at once. '' keeps the field's text. */
  show(query: string, submit: boolean): void
  destroy(): void
}

/** Each replaces the content of the body by its view, and keeps the text that was typed. */
export interface SearchModule {
  mountSearch(host: Host, body: HTMLElement): Promise<View>
}

export interface AskModule {
  mountAsk(host: Host, body: HTMLElement): Promise<View>
}
