// `/widget.js`: defines the elements. Everything else is loaded when a reader first opens one.
import { type Chunks, createElementClass } from './element.ts'
import type { AskModule, Kind, SearchModule } from './host.ts'

type OldModule = typeof import('./old-markup.ts')

/** The other bundles, each with the chunks that it imports, which are fetched beside it. web/build.ts puts them in. */
declare const bundles: { search: string[]; ask: string[]; old: string[] }

// A module has no current script; older markup loads modules.
const script = document.currentScript ?? document.querySelector('script[src*="/widget.js"]')
const base = script instanceof HTMLScriptElement && script.src ? new URL('.', script.src).href : null

async function load(names: string[]) {
  const [bundle] = await Promise.all(
    names.map((name) => import(new URL(`assets/${name}.js`, base ?? location.origin).href)),
  )
  return bundle
}

const chunks: Chunks = {
  search: () => load(bundles.search) as Promise<SearchModule>,
  ask: () => load(bundles.ask) as Promise<AskModule>,
}

const kinds: Record<string, Kind> = {
  'lectern-search': 'search',
  'lectern-ask': 'ask',
  'lectern-panel': 'panel',
}

for (const [name, kind] of Object.entries(kinds)) {
  // The script may be in a page twice.
  if (!customElements.get(name)) customElements.define(name, createElementClass({ kind, chunks, base }))
}

/** Elements of the hosted service: what they show is loaded where a page has one. */
class OldElement extends HTMLElement {
  #hide: (() => void) | null = null

  async connectedCallback() {
    const { showOld }: OldModule = await load(bundles.old)
    if (this.isConnected) this.#hide ??= showOld(this)
  }

  disconnectedCallback() {
    this.#hide?.()
    this.#hide = null
  }
}

for (const name of ['biel-search-button', 'biel-search', 'biel-button', 'biel-bot']) {
  // The hosted service's own script may be in the page, too.
  if (!customElements.get(name)) customElements.define(name, class extends OldElement {})
}
