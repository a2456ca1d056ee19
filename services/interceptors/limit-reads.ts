// Limits requests without a key by network address. Messages have other limits. Counts in memory, because each letter that a
// reader types is a search.
import { callerOf, may, projectKey } from '../context.ts'
import { rateLimited } from '../errors.ts'
import { toNetwork } from '../limit/network-key.ts'
import { createWindows } from '../limit/windows.ts'
import type { Permission } from '../permissions.ts'
import type { Check } from './checks.ts'
import { isMessage } from './count-messages.ts'
import { optionsOf } from './method-options.ts'

const maxReads = 600

/** Runs after the check of the caller. */
export function createReadLimitCheck(now: () => Date): Check {
  const reads = createWindows(() => now().getTime())

  return (request) => {
    const { access } = optionsOf(request.method)
    const needsNoKey = access?.public || access?.anyone || access?.restoreToken
    if (!needsNoKey || isMessage(request.method)) return request
    const project = request.contextValues.get(projectKey)
    const caller = callerOf({ values: request.contextValues })
    // Without a project in the request, the handler judges the key.
    const isExempt = project ? may(caller, project, access.permission as Permission) : caller.team !== null
    if (!isExempt) {
      const { count, seconds } = reads.hit(toNetwork(caller.address))
      if (count > maxReads) throw rateLimited('Too many requests came from this address.', seconds)
    }
    return request
  }
}
