// The core until the store has answered for the first time: it is there, and every call is `unavailable`.
import { backendAway } from '../services/errors.ts'
import { createErrorInterceptor, type ErrorLog } from '../services/interceptors/errors.ts'
import { createRoutes } from '../services/routes.ts'
import type { Core } from '../services/server/core.ts'

export function createStartingCore(log: ErrorLog): Core {
  const implementation = {}
  return {
    implementation,
    routes: createRoutes(implementation),
    interceptors: [
      createErrorInterceptor(log),
      (next) => async (request) => {
        // Health and reflection say how it stands.
        if (!request.service.typeName.startsWith('lectern.')) return next(request)
        throw backendAway('store', null)
      },
    ],
  }
}
