// The store's contract: cases by noun that run unchanged on every driver.
import { describe, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import { addressCases } from './store-address.suite.ts'
import { blobCases } from './store-blob.suite.ts'
import type { StoreCases } from './store-case.ts'
import { chatCases } from './store-chat.suite.ts'
import { chatCountCases } from './store-chat-counts.suite.ts'
import { chatErasureCases } from './store-chat-erasure.suite.ts'
import { counterCases } from './store-counters.suite.ts'
import { frontierCases } from './store-frontier.suite.ts'
import { keyCases } from './store-key.suite.ts'
import { limitCases } from './store-limit.suite.ts'
import { memberCases } from './store-member.suite.ts'
import { moveCases } from './store-move.suite.ts'
import { pageCases } from './store-page.suite.ts'
import { projectCases } from './store-project.suite.ts'
import { analyticsCases, recrawlCases, vocabularyCases } from './store-recrawl.suite.ts'
import { runCases } from './store-run.suite.ts'
import { sourceCases } from './store-source.suite.ts'
import { stalePageCases } from './store-stale-pages.suite.ts'
import { vectorCases } from './store-vector.suite.ts'

const storeCases = {
  keys: keyCases,
  members: memberCases,
  projects: projectCases,
  sources: sourceCases,
  runs: runCases,
  frontier: frontierCases,
  addresses: addressCases,
  counters: counterCases,
  pages: pageCases,
  stalePages: stalePageCases,
  recrawls: recrawlCases,
  vocabulary: vocabularyCases,
  analytics: analyticsCases,
  chats: chatCases,
  chatCounts: chatCountCases,
  chatErasure: chatErasureCases,
  limits: limitCases,
  vectors: vectorCases,
  blobs: blobCases,
  moves: moveCases,
} satisfies Record<string, StoreCases>

/** Runs every case on a new store; `open` returns an empty one. */
export const testStore = (driver: string, open: () => Promise<Store>): void => {
  for (const [noun, cases] of Object.entries(storeCases))
    describe(`${driver} store: ${noun}`, () => {
      for (const [name, run] of Object.entries(cases))
        test(name, async () => {
          const store = await open()
          try {
            await store.ping()
            await run(store)
          } finally {
            await store.close()
          }
        })
    })
}
