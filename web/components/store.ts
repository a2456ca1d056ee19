// Stores for components. The widget's search uses plain-store.ts: hooks would cost it 1.3 KB.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ReadonlyStore } from './plain-store.ts'

export { createStore, type ReadonlyStore, type Store } from './plain-store.ts'

/** Returns the current value, and renders the component again when it changes. */
export function useStore<T>(store: ReadonlyStore<T>): T {
  const [, draw] = useState(store.value)
  useLayoutEffect(() => {
    // Renders changes between the first rendering and this subscription.
    draw(store.value)
    return store.subscribe(draw)
  }, [store])
  return store.value
}
