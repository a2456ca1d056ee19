/** Adds the script of the Lectern at this address, once. Resolves when the elements are defined. */
export function loadLectern(origin: string): Promise<void>

/** Attributes of the elements. All are strings. Changes take effect at once. */
export interface LecternAttributes {
  /** Slug or UUID of the project. */
  project: string
  /** Address of Lectern, if the script comes from elsewhere. */
  'api-url'?: string
  /** For a private project. Every reader of the page can read it. */
  'api-key'?: string
  variant?: 'field' | 'button' | 'icon' | 'float' | 'none'
  position?: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left' | 'center-right' | 'center-left'
  placeholder?: string
  /** `mod+k,/`, other keys, or `none`. */
  shortcuts?: string
  theme?: 'light' | 'dark'
  lang?: string
  /** JSON with your own texts. */
  strings?: string
  /** Title of the filter that is initially chosen. */
  filter?: string
  version?: string
  language?: string
  scope?: 'all' | 'site'
  greeting?: string
  /** Questions, separated by `|`. */
  suggestions?: string
  think?: string
  heading?: string
  disclaimer?: string
  email?: string
  metadata?: string
  /** Parts to leave out, such as `ask filters`. */
  hide?: string
  /** `none` stores nothing in the browser. */
  privacy?: 'none'
  /** What a panel shows initially. */
  mode?: 'search' | 'ask'
  /** Opens at once, unless it is `false`. */
  opened?: string
}

export interface LecternOpenOptions {
  mode?: 'search' | 'ask'
  query?: string
  /** Whether to search or ask the query at once. */
  submit?: boolean
}

export interface LecternElement extends HTMLElement {
  open(options?: LecternOpenOptions): void
  close(): void
  /** Removes all content. The element shows nothing until it is added to a page again. */
  destroy(): void
}

export interface LecternEventDetails {
  'lectern:open': { mode: 'search' | 'ask' }
  'lectern:close': Record<string, never>
  'lectern:search': { query: string; filter: string }
  'lectern:results': { query: string; count: number }
  'lectern:click': { query: string; url: string; position: number }
  'lectern:ask': { question: string }
  'lectern:answer': {
    question: string
    answer: string
    messageId: string | null
    outcome: 'answered' | 'pointed' | 'refused' | null
    sources: { title: string; url: string; quote: string }[]
  }
  'lectern:source': { messageId: string | null; url: string; title: string }
  'lectern:feedback': { messageId: string | null; reaction: 0 | 1 }
  'lectern:copy': Record<string, never>
  'lectern:error': { code: string; message: string }
  /** Dispatched before the action. `preventDefault` cancels it. */
  'lectern:before-open': { mode: 'search' | 'ask'; query: string }
  'lectern:before-close': Record<string, never>
  'lectern:before-ask': { question: string }
  'lectern:before-click': { query: string; url: string; position: number }
}

/** Events by name, for `addEventListener` of elements, the document and the window. */
export type LecternEvents = {
  [Name in keyof LecternEventDetails]: CustomEvent<LecternEventDetails[Name]>
}

/** The elements, with their attributes. */
export interface LecternTags {
  'lectern-search': LecternAttributes
  'lectern-ask': LecternAttributes
  'lectern-panel': LecternAttributes
}

declare global {
  interface HTMLElementTagNameMap {
    'lectern-search': LecternElement
    'lectern-ask': LecternElement
    'lectern-panel': LecternElement
  }
  interface HTMLElementEventMap extends LecternEvents {}
  interface DocumentEventMap extends LecternEvents {}
  interface WindowEventMap extends LecternEvents {}
}

/** Props in JSX: the attributes, and those of every element. */
export type LecternJsx = {
  [Name in keyof LecternTags]: LecternTags[Name] & {
    children?: unknown
    key?: string | number | null
    ref?: unknown
    id?: string
    slot?: string
    class?: string
    className?: string
    style?: string | object
  }
}
