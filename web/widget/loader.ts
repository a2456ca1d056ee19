// `/widget.js`: defines the elements. Everything else is loaded on first opening.
import { type Chunks, createElementClass } from './element.ts'
import type { AskModule, SearchModule } from './host.ts'

type OldModule = typeof import('./old-markup.ts')

/** The other bundles, each with its chunks, which are loaded in parallel. web/build.ts inserts them. */
declare const bundles: { search: string[]; ask: string[]; old: string[] }

// Modules have no current script. Older markup loads modules.
const script = document.currentScript ?? document.querySelector('script[src*="/widget.js"]')
const source = (script as HTMLScriptElement | null)?.src
const base = source ? new URL('.', source).href : null

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

// A page may load the script twice.
const isFree = (name: string) => !customElements.get(name)

for (const kind of ['search', 'ask', 'panel'] as const) {
  const name = `lectern-${kind}`
  if (isFree(name)) customElements.define(name, createElementClass({ kind, chunks, base }))
}

/** The hosted service's elements. Their code is loaded on demand, unless its own script defines them. */
for (const each of ['search-button', 'search', 'button', 'bot']) {
  const name = `biel-${each}`
  if (isFree(name)) customElements.define(name, createOldClass())
}

function createOldClass() {
  return class extends HTMLElement {
    #hide: (() => void) | null = null

    async connectedCallback() {
      const old: OldModule | null = await load(bundles.old).catch(() => null)
      if (old && this.isConnected) this.#hide ??= old.showOld(this)
    }

    disconnectedCallback() {
      this.#hide?.()
      this.#hide = null
    }
  }
}
