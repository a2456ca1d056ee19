// Which route answers a request: method and path against patterns such as `/api/v2/projects/{slug}/`; the trailing
// slash is optional everywhere.
import type { Answer, HttpRequest } from './http.ts'
import { undoEscapes } from './query.ts'
import { Refusal } from './refusal.ts'

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Segments in braces match anything but a slash; a last one named `rest` matches all that follows. */
  path: string
  /** Whether only callers with a good key are listened to. */
  needsKey?: boolean
  /** Answers the request; throws what errors.ts knows. `parameters` are the path's, percent escapes undone. */
  answer(request: HttpRequest, parameters: Record<string, string>): Promise<Answer> | Answer
}

export interface Match {
  route: Route
  parameters: Record<string, string>
}

export interface Router {
  /** Throws Refusal `not_found`, or `method_not_allowed` with the header `allow`. HEAD finds what GET finds. */
  match(method: string, path: string): Match
  /** Methods of the path, HEAD and OPTIONS too; null for an unknown path. */
  methods(path: string): string[] | null
  /** Whether only callers with a good key are listened to there; false where there is nothing. */
  needsKey(method: string, path: string): boolean
}

/** Routes of one shape of path, by segments: a fixed text, or null for a parameter. */
interface Shape {
  segments: (string | null)[]
  names: string[]
  /** Whether the last parameter takes all that follows. */
  isOpen: boolean
  routes: Map<string, Route>
}

/** Patterns that are told apart by fixed segments come first: `sync/latest` before `sync/{uuid}`. */
export function createRouter(routes: readonly Route[]): Router {
  const shapes = new Map<string, Shape>()
  for (const route of routes) {
    const shape = shapes.get(route.path) ?? toShape(route.path)
    if (shape.routes.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`)
    shape.routes.set(route.method, route)
    shapes.set(route.path, shape)
  }
  const ordered = [...shapes.values()].sort((one, other) => openness(one) - openness(other))

  function find(path: string): { shape: Shape; values: string[] } | null {
    const segments = split(path)
    for (const shape of ordered) {
      const values = valuesOf(shape, segments)
      if (values) return { shape, values }
    }
    return null
  }

  return {
    match(method, path) {
      const found = find(path)
      if (!found) throw new Refusal('not_found', 'There is nothing at this address.')
      const route = found.shape.routes.get(method === 'HEAD' ? 'GET' : method)
      if (!route) {
        const allow = methodsOf(found.shape).join(', ')
        throw new Refusal('method_not_allowed', `This address takes ${allow}.`, {}, { allow })
      }
      const values = found.values.map((value, at) => [found.shape.names[at]!, undoEscapes(value)])
      return { route, parameters: Object.fromEntries(values) }
    },
    methods(path) {
      const found = find(path)
      return found && methodsOf(found.shape)
    },
    needsKey: (method, path) => find(path)?.shape.routes.get(method)?.needsKey ?? false,
  }
}

function methodsOf({ routes }: Shape): string[] {
  return [...routes.keys(), ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Without the slash at either end; `//` is not `/`. */
function split(path: string): string[] {
  return path
    .replace(/^\//, '')
    .replace(/(?<=.)\/$/, '')
    .split('/')
}

function toShape(path: string): Shape {
  const names: string[] = []
  const segments = split(path).map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (!name) return segment
    names.push(name)
    return null
  })
  return { segments, names, isOpen: names.at(-1) === 'rest', routes: new Map() }
}

/** The parameters' values where the path has the shape, else null. An empty segment is no value. */
function valuesOf({ segments, isOpen }: Shape, path: string[]): string[] | null {
  const given = isOpen ? joinRest(path, segments.length) : path
  if (given.length !== segments.length) return null
  const values: string[] = []
  for (const [at, segment] of segments.entries()) {
    const text = given[at]!
    if (segment === null ? text === '' : text !== segment) return null
    if (segment === null) values.push(text)
  }
  return values
}

function joinRest(path: string[], length: number): string[] {
  return path.length < length ? path : [...path.slice(0, length - 1), path.slice(length - 1).join('/')]
}

function openness({ segments, isOpen }: Shape): number {
  return segments.filter((segment) => segment === null).length + (isOpen ? 100 : 0)
}
