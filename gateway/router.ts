// Finds the route of a request: matches method and path against patterns such as `/api/v2/projects/{slug}/`. The trailing
// slash is always optional.
import { addRoute, createRouter as createTree, findRoute } from 'rou3'
import type { BodyKind } from './body.ts'
import { Refusal } from './errors.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { undoEscapes } from './query.ts'

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** A segment in braces matches anything except a slash. A last segment `{rest}` matches everything that follows. */
  path: string
  /** Whether the gateway limits the route to 600 requests a minute by network. The core limits routes that call it. */
  isLimited?: boolean
  /** The limits of a body of this type. Default: those of calls that need no key. */
  bodyKind?(contentType: string): BodyKind
  /** Answers the request. `parameters`: from the path, decoded. */
  answer(request: HttpRequest, parameters: Record<string, string>): Promise<HttpResponse> | HttpResponse
}

type Methods = Map<string, Route>

export function createRouter(routes: readonly Route[]) {
  const tree = createTree<Methods>()
  const byPath = new Map<string, Methods>()
  for (const route of routes) {
    const methods: Methods = byPath.get(route.path) ?? new Map()
    if (methods.has(route.method)) throw new Error(`${route.method} ${route.path} exists twice`)
    if (methods.size === 0) addRoute(tree, '', toPattern(route.path), methods)
    byPath.set(route.path, methods.set(route.method, route))
  }
  const find = (path: string) => findRoute(tree, '', path)

  return {
    /** Finds the route. HEAD matches GET. Throws Refusal `not_found`, or `method_not_allowed` with the header `allow`. */
    match(method: string, path: string) {
      const found = find(path)
      if (!found) throw new Refusal('not_found', 'There is nothing at this address.')
      const route = found.data.get(method === 'HEAD' ? 'GET' : method)
      if (!route) {
        const allow = listMethods(found.data).join(', ')
        throw new Refusal('method_not_allowed', `This address takes ${allow}.`, {}, { allow })
      }
      const values = Object.entries(found.params ?? {}).map(([name, value]) => [name, undoEscapes(value)])
      return { route, parameters: Object.fromEntries(values) as Record<string, string> }
    },
    /** Methods of the path, including HEAD and OPTIONS. Null for an unknown path. */
    methods(path: string): string[] | null {
      const found = find(path)
      return found ? listMethods(found.data) : null
    },
    find: (method: string, path: string): Route | null => find(path)?.data.get(method) ?? null,
  }
}

function listMethods(methods: Methods): string[] {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** `/a/{one}/` → `/a/:one/`, `/files/{rest}` → `/files/**:rest`. */
function toPattern(path: string): string {
  return path.replace('{rest}', '**:rest').replace(/\{(\w+)\}/g, ':$1')
}
