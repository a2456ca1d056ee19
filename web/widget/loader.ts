// `/widget.js`: defines the elements. Everything else is loaded when a reader first opens one.
import { type Chunks, createElementClass } from './element.ts'
import type { AskModule, Kind, SearchModule } from './host.ts'

/** Names of the other bundles, which web/build.ts puts in. */
declare const bundles: { search: string; ask: string }

const script = document.currentScript
const base = script instanceof HTMLScriptElement && script.src ? new URL('.', script.src).href : null

const load = (name: string) => import(new URL(`assets/${name}`, base ?? location.origin).href)
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
