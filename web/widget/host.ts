// What the loader and the chunks that it loads know of each other.
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
  /** As they are now. */
  readonly marks: Attributes
  /** Where the script came from; null where nobody knows. */
  readonly base: string | null
  /** What stands where a chunk could not be loaded. */
  readonly failed: string
  /** Dispatches `lectern:{name}`; false: a listener prevented what comes `before-…`. */
  emit(name: EventName | `before-${EventName}`, detail?: object): boolean
  /** Adds styles to the shadow root, once. */
  addStyles(css: string): void
  /** Shows the search or the conversation, and asks the question where it is not ''. */
  turnTo(mode: Mode, question?: string): void
  close(): void
}

/** A chunk's view in the body of a dialog or panel. */
export interface View {
  /** Takes the focus. `query`: searched for or asked at once with `submit`, else put into the field; '' leaves what is there. */
  show(query: string, submit: boolean): void
  destroy(): void
}

/** Each puts its view into the body; what is in it before is taken away, and what was typed there is kept. */
export interface SearchModule {
  mountSearch(host: Host, body: HTMLElement): Promise<View>
}

export interface AskModule {
  mountAsk(host: Host, body: HTMLElement): Promise<View>
}
