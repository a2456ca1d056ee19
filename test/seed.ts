// Before each test file: fast-check takes the seed of the run, which repeats its inputs, and creates arrays and strings of at most
// about a hundred elements. `maxLength` alone does not make them longer; `size: 'max'` does.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
  }
}

fc.configureGlobal({ seed: inject('seed'), baseSize: 'medium' })
