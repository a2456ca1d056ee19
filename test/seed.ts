// Before each test file: fast-check takes the seed of the run, so that the same inputs are made up again with it.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
  }
}

fc.configureGlobal({ seed: inject('seed') })
