// Limits what readers without a key ask for: searches, clicks and documents, by network address. Counted in memory, for
// each letter that a reader types is a search.
import { callerOf, may, projectKey } from '../context.ts'
import { rateLimited } from '../errors.ts'
import { toNetwork } from '../limit/network-key.ts'
import { createWindows } from '../limit/windows.ts'
import type { Check } from './checks.ts'
import { optionsOf } from './method-options.ts'

const maxReads = 600

/** Runs after the check of the caller. */
export function createReadLimitCheck(now: () => Date): Check {
  const reads = createWindows(() => now().getTime())

  return (request) => {
    const { access } = optionsOf(request.method)
    const project = request.contextValues.get(projectKey)
    const caller = callerOf({ values: request.contextValues })
    const isRead = access?.public && access.permission === 'search'
    if (isRead && project && !may(caller, project, 'search')) {
      const { count, seconds } = reads.hit(toNetwork(caller.address))
      if (count > maxReads) throw rateLimited('Too many requests came from this address.', seconds)
    }
    return request
  }
}
