// Nouns whose driver is not written yet.
import { DomainError } from '../../errors.ts'
import type { Store } from '../store.ts'

const absent = <Noun extends object>(): Noun =>
  new Proxy({} as Noun, {
    get: () => async () => {
      throw new DomainError('unimplemented', 'Not on MongoDB yet.')
    },
  })

export const later: Pick<Store, 'sources' | 'runs' | 'frontier' | 'pages' | 'recrawls'> = {
  sources: absent(),
  runs: absent(),
  frontier: absent(),
  pages: absent(),
  recrawls: absent(),
}
