// The core as one thing: the contract's routes behind their interceptors, to be served by a listener (core-server.ts)
// or called within the process.
import {
  type ConnectRouter,
  createRouterTransport,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect'
import { createAuthInterceptor } from '../interceptors/auth.ts'
import { createErrorInterceptor, type ErrorLog } from '../interceptors/errors.ts'
import { createIdentify, type IdentifyDeps } from '../interceptors/identify.ts'
import { createValidateInterceptor } from '../interceptors/validate.ts'
import { createRoutes, type Implementation } from '../routes.ts'
import type { Store } from '../store/store.ts'

export interface Core {
  routes(router: ConnectRouter): void
  /** In the order of the call: errors outermost, then who may, then what is asked. */
  interceptors: Interceptor[]
}

export interface CoreDeps extends Omit<IdentifyDeps, 'report' | 'store'> {
  store: Pick<Store, 'keys' | 'teams' | 'projects'>
  log: ErrorLog
}

/** Largest message of a caller on the network. */
export const greatestMessage = 1024 * 1024

/** Within the process a REST body of 1 MiB may be a larger message (an API description given whole). */
const greatestInnerMessage = 8 * greatestMessage

export function createCore(deps: CoreDeps, implementation: Implementation): Core {
  const identify = createIdentify({
    ...deps,
    report: (error) => deps.log.error({ err: error, rpc: '-' }, 'lastUsedAt was not written'),
  })
  return {
    routes: createRoutes(implementation),
    interceptors: [
      createErrorInterceptor(deps.log),
      createAuthInterceptor({ identify, projects: deps.store.projects }),
      createValidateInterceptor(),
    ],
  }
}

/** The core for callers in the same process: the gateway. Same interceptors, same serialisation, no socket. */
export function createInMemoryTransport(core: Core): Transport {
  return createRouterTransport(core.routes, {
    router: { interceptors: core.interceptors, readMaxBytes: greatestInnerMessage },
  })
}
