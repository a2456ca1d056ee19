// A value that components follow. The widget's search follows plain ones: hooks would cost it 1.3 KB.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ReadonlyStore } from './plain-store.ts'

export { createStore, type ReadonlyStore, type Store } from './plain-store.ts'

/** The value now; the component is drawn anew when it changes. */
export function useStore<T>(store: ReadonlyStore<T>): T {
  const [, draw] = useState(store.value)
  useLayoutEffect(() => {
    // What changed between the first drawing and this subscription is drawn too.
    draw(store.value)
    return store.subscribe(draw)
  }, [store])
  return store.value
}
