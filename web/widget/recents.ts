// Pages that the reader opened from the search, with the query that found each. Stored only in the browser, never sent.
import { readWebAddress } from '../components/addresses.ts'
import { type Child, make } from '../components/make.ts'
import { makeChoices } from '../components/search-notice.ts'
import type { Texts } from '../components/texts.ts'

export interface Recent {
  query: string
  title: string
  page: string
  url: string
}

export interface Recents {
  /** Newest first. */
  read(): Recent[]
  add(recent: Recent): void
  clear(): void
}

const max = 6

/** `remembers`: whether to use the browser's storage. */
export function createRecents(project: string, remembers: boolean): Recents {
  const name = `lectern-recent:${project}`
  let list = remembers ? read(name) : []
  const write = (next: Recent[]) => {
    list = next
    try {
      if (next.length > 0) localStorage.setItem(name, JSON.stringify(next))
      else localStorage.removeItem(name)
    } catch {
      // The storage is full, or not available to this page.
    }
  }
  return {
    read: () => list,
    add(recent) {
      if (remembers) write([recent, ...list.filter(({ url }) => url !== recent.url)].slice(0, max))
    },
    clear: () => write([]),
  }
}

/** Validates the stored value: other scripts of the page may have written it. */
function read(name: string): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    if (!Array.isArray(stored)) return []
    const isRecent = (each: unknown): each is Recent =>
      ['query', 'title', 'page', 'url'].every(
        (key) => typeof (each as Record<string, unknown> | null)?.[key] === 'string',
      )
    return stored.filter(isRecent).slice(0, max)
  } catch {
    return []
  }
}

interface RecentActions {
  onSearch(query: string): void
  /** Called after the pages were removed. */
  onForget(): void
}

export function makeRecents(recents: Recents, texts: Texts, { onSearch, onForget }: RecentActions): Child[] {
  const { hint, recent, searched, forget: forgetLabel } = texts.search
  const valid = recents.read().filter(({ url }) => readWebAddress(url))
  if (valid.length === 0) return [make('p', { class: 'hint' }, hint)]
  const forget = () => {
    recents.clear()
    onForget()
  }
  const items = valid.map(({ title, page, url }) =>
    make(
      'li',
      {},
      make(
        'a',
        { class: 'result', href: url },
        make('span', { class: 'title', dir: 'auto' }, title),
        page === title ? '' : make('span', { class: 'path', dir: 'auto' }, page),
      ),
    ),
  )
  const queries = [...new Set(valid.map(({ query }) => query))]
  const head = make(
    'div',
    { class: 'recents-head' },
    make('h2', { id: 'recents' }, recent),
    make('button', { type: 'button', class: 'plain', click: forget }, forgetLabel),
  )
  return [
    make(
      'section',
      { class: 'recents', 'aria-labelledby': 'recents' },
      head,
      make('ul', {}, ...items),
      make('h2', {}, searched),
      ...makeChoices(queries, searched, onSearch),
    ),
  ]
}
