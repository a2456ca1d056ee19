// Loads the widget from your Lectern, so that widget and server always have the same version.

/** @type {Map<string, Promise<void>>} */
const loading = new Map()

/** Adds the script of the Lectern at this address, once. Resolves when the elements are defined. */
export function loadLectern(origin) {
  const src = new URL('widget.js', origin.endsWith('/') ? origin : `${origin}/`).href
  const known = loading.get(src)
  if (known) return known
  const script = document.createElement('script')
  script.async = true
  script.src = src
  const loaded = new Promise((resolve, reject) => {
    script.onload = () => resolve()
    script.onerror = () => {
      loading.delete(src)
      script.remove()
      reject(new Error(`Lectern's widget could not be loaded from ${src}`))
    }
  })
  loading.set(src, loaded)
  document.head.append(script)
  return loaded
}
