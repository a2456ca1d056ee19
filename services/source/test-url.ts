// SourceService/TestUrl: tests how a crawl would treat an address, for a stored or unsaved source.
import type { SourceService, TestUrlResponseSchema } from '../../gen/lectern/v1/source_pb.js'
import { projectOf } from '../context.ts'
import type { RowOf } from '../message.ts'
import { readPageAddress } from '../page-address.ts'
import type { Handlers } from '../routes.ts'
import { createTurnstile } from '../semaphore.ts'
import type { Source } from '../store/source.ts'
import { readTestedSource, type UnsavedSourceDeps } from './unsaved-source.ts'

/** Rejects only if the signal aborts or a backend is unavailable. */
export type TestAddress = (
  source: Source,
  url: string,
  signal: AbortSignal,
) => Promise<RowOf<typeof TestUrlResponseSchema>>

/** Maximum concurrent tests of all teams and of one team. Each has a page in memory. */
const maxTests = { all: 16, team: 4 }

export function createTestUrl(
  deps: UnsavedSourceDeps & { testAddress: TestAddress },
): Pick<Handlers<typeof SourceService>, 'testUrl'> {
  const enter = createTurnstile(maxTests, 'Too many addresses are being tested.')

  return {
    async testUrl({ url: given, sourceUuid, source: message }, context) {
      const project = projectOf(context)
      const url = readPageAddress(given)
      const source = await readTestedSource(deps, project, sourceUuid, message)
      const leave = enter(project.team)
      try {
        return await deps.testAddress(source, url, context.signal)
      } finally {
        leave()
      }
    },
  }
}
