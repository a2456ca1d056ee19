// The address of a view: its path below /console/, and its filters as query. Links are plain anchors, whose clicks are handled here.
import { createStore, type ReadonlyStore } from '../components/store.ts'

export interface Address {
  /** Below /console/, without slashes at its ends: `projects/guide/runs`. */
  path: string
  query: Record<string, string>
}

/** What the braces of a screen's path match: `{ slug: 'guide' }`. */
export type Parameters = Record<string, string>

export interface ScreenProps {
  parameters: Parameters
}

/** Omits values that are null or ''. */
export type Query = Record<string, string | number | null | undefined>

/** The console's folder: the scripts are in its neighbor, so it works below any public address. */
const home = new URL('../console/', import.meta.url)
/** The server's own address, for REST. */
export const server = new URL('../', home).href

const current = createStore(readAddress())
export const address: ReadonlyStore<Address> = current

function readAddress(): Address {
  const { pathname, search } = location
  const path = pathname.startsWith(home.pathname) ? pathname.slice(home.pathname.length) : ''
  return {
    path: path.replace(/^\/+|\/+$/g, ''),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

export function toHref(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `${home.pathname}${path}${search}`
}

/** The address of a project's screen. */
export function projectHref(slug: string, screen: string, query?: Query): string {
  return toHref(`projects/${encodeURIComponent(slug)}/${screen}`, query)
}

export function go(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  current.value = readAddress()
}

/** Changes filters of this view. Replaces the history entry, so that Back does not step through every letter. */
export function setFilters(change: Query): void {
  const { path, query } = address.value
  go(toHref(path, { ...query, ...change }), { replace: true })
}

/** Handles clicks on links within the console without loading a page. */
export function takeLinks(): void {
  addEventListener('popstate', () => {
    current.value = readAddress()
  })
  document.addEventListener('click', (event) => {
    const { button, ctrlKey, metaKey, shiftKey, altKey } = event
    if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
    const link = (event.target as Element | null)?.closest?.('a[href]')
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute('download')) return
    if (link.origin !== home.origin || !link.pathname.startsWith(home.pathname)) return
    event.preventDefault()
    go(link.href)
  })
}
