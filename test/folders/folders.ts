// Finds folders that import each other in a circle. A folder of a part (`services/chat`) includes everything in it; a file
// directly in a part (`services/errors.ts`) counts by itself.
import { dirname, join } from 'node:path/posix'

export interface Import {
  from: string
  to: string
}

const specifier = /(?:\bfrom\s+|\bimport\s*\(?\s*|\bnew URL\()'(\.[^']+)'/g

export function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(specifier)].map(([, to]) => ({ from: path, to: join(dirname(path), to!) }))
}

/** `services/chat/turn.ts` → `services/chat`, `services/errors.ts` → itself. */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

/** The imports that close a circle: a path leads from each of their folders back through others. */
export function circularImports(imports: Import[]): Import[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [room, other] = [roomOf(from), roomOf(to)]
    if (room !== other) next.set(room, (next.get(room) ?? new Set()).add(other))
  }
  const reached = new Map([...next.keys()].map((room) => [room, reachableFrom(room, next)]))
  return imports.filter(({ from, to }) => {
    return roomOf(from) !== roomOf(to) && reached.get(roomOf(to))?.has(roomOf(from))
  })
}

function reachableFrom(start: string, next: Map<string, Set<string>>): Set<string> {
  const reached = new Set<string>()
  const todo = [start]
  for (let room = todo.pop(); room !== undefined; room = todo.pop()) {
    for (const other of next.get(room) ?? []) {
      if (reached.has(other)) continue
      reached.add(other)
      todo.push(other)
    }
  }
  return reached
}
