// Loaded into every thread of a Lectern process with `node --import`: substitutes doomed-drivers.ts and doomed-manifest.ts
// for the modules that they wrap. Lectern itself is unchanged.
import { registerHooks } from 'node:module'

const root = new URL('../../../', import.meta.url)
const here = (name: string) => new URL(name, import.meta.url).href
const doubles = new Map([
  [new URL('services/drivers.ts', root).href, here('doomed-drivers.ts')],
  [new URL('services/index/segments/manifest.ts', root).href, here('doomed-manifest.ts')],
])

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const double = doubles.get(found.url)
    return double && context.parentURL !== double ? { ...found, url: double } : found
  },
})
