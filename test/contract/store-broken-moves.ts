// Stores that break one promise of moving each.
import { type BrokenStore, instead, reversed } from './store-broken.ts'

export const brokenMoveStores: BrokenStore[] = [
  {
    promise: 'teams are listed oldest first',
    noun: 'moves',
    breaks: instead('teams', ({ teams }) => ({ all: async () => (await teams.all()).toReversed() })),
  },
  {
    promise: 'a restored run keeps its counts',
    noun: 'moves',
    breaks: instead('runs', ({ runs }) => ({
      restore: (run, events) => runs.restore({ ...run, pages: { ...run.pages, added: 0 } }, events),
    })),
  },
  {
    promise: 'a restored run keeps its events',
    noun: 'moves',
    breaks: instead('runs', ({ runs }) => ({ restore: (run) => runs.restore(run, []) })),
  },
  {
    promise: 'a restored run is not live',
    noun: 'moves',
    breaks: instead('runs', ({ runs }) => ({
      restore: async ({ pages, fence, ...run }) => void (await runs.begin(run)),
    })),
  },
  {
    promise: 'recrawls are listed newest first',
    noun: 'moves',
    breaks: instead('recrawls', ({ recrawls }) => ({
      list: (project, page) => reversed(recrawls.list(project, page)),
    })),
  },
  {
    promise: 'a scan of vectors goes on behind the last',
    noun: 'moves',
    breaks: instead('vectors', ({ vectors }) => ({ scan: (_after, limit) => vectors.scan(null, limit) })),
  },
]
