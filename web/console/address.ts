// The address of a view: its path below /console/, and its filters as query. Every link is a plain one, taken here.
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

/** Values that are null or '' are left out. */
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

/** The address of one of a project's screens. */
export function projectHref(slug: string, screen: string, query?: Query): string {
  return toHref(`projects/${encodeURIComponent(slug)}/${screen}`, query)
}

export function go(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  current.value = readAddress()
}

/** Changes filters of this view. The way back does not lead through every letter. */
export function setFilters(change: Query): void {
  const { path, query } = address.value
  go(toHref(path, { ...query, ...change }), { replace: true })
}

/** Takes clicks on links of the console, so that no page is loaded. */
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
