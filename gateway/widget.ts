// What the widget asks Lectern for from pages of other sites: the settings of its project.
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import type { CallerReader } from './caller.ts'
import type { CoreClient } from './core-client.ts'
import { toRoute } from './rest.ts'
import { fromPath, type Row, toAnswer } from './rest-row.ts'
import type { Route } from './router.ts'

const config: Row = {
  method: 'GET',
  path: '/widget-config/{slug}',
  call: ProjectService.method.getWidgetConfig,
  read: fromPath,
  write: toAnswer,
  status: 200,
}

/** Shared caches keep the settings of public projects; those of a private one are the caller's. */
const maxAge = 300

export function createWidgetRoutes({ core, caller }: { core: CoreClient; caller: CallerReader }): Route[] {
  // Surface v1 also takes a project's UUID, which older markup has.
  const route = toRoute(config, { core, caller, surface: 'v1' })
  return [
    {
      ...route,
      async answer(request, parameters) {
        const answer = await route.answer(request, parameters)
        const scope = request.headers.authorization ? 'private' : 'public'
        const headers = { 'cache-control': `${scope}, max-age=${maxAge}`, vary: 'authorization' }
        return { ...answer, headers: { ...answer.headers, ...headers } }
      },
    },
  ]
}
