// The core: the contract's routes behind the guard, served by a listener (core-server.ts) or within the process
// (in-memory-transport.ts).
import type { ConnectRouter, Interceptor } from '@connectrpc/connect'
import { createAdmissionService, createAuthorize } from '../guard/admit.ts'
import { createGuard, type ErrorLog } from '../guard/guard.ts'
import { createIdentify, type IdentifyDeps } from '../guard/identify.ts'
import type { MessageLimits } from '../limit/message-limits.ts'
import { createRoutes, type Implementation } from '../routes.ts'
import type { Store } from '../store/store.ts'

export interface Core {
  routes(router: ConnectRouter): void
  interceptors: Interceptor[]
  implementation: Implementation
}

export interface CoreDeps extends Omit<IdentifyDeps, 'report' | 'store'> {
  store: Pick<Store, 'keys' | 'members' | 'teams' | 'projects'>
  log: ErrorLog
  /** Absent if the server has no chats. */
  limits?: Pick<MessageLimits, 'count'>
}

/** Maximum size of a message from the network. */
export const maxMessageBytes = 1024 * 1024

export function createCore(deps: CoreDeps, services: Implementation): Core {
  const authorize = createAuthorize(deps.store.projects)
  const implementation = { ...services, admission: createAdmissionService(authorize) }
  const identify = createIdentify({
    ...deps,
    report: (error) => deps.log.error({ err: error, rpc: '-' }, 'lastUsedAt was not written'),
  })
  return {
    implementation,
    routes: createRoutes(implementation),
    interceptors: [createGuard({ ...deps, identify, authorize })],
  }
}
