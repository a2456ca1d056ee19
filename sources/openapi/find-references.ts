// All `$ref`s of a file, wherever they stand, without following them.
import { isObject, type Json } from './json-value.ts'

interface FoundReference {
  reference: string
  /** Fields that lead to it: `paths./pets.get.parameters[0]`. */
  place(): string
}

interface Visit {
  value: Json
  name: string
  parent: Visit | null
  /** Whether its fields are names of the description's own choice, none of which means anything. */
  isMap: boolean
}

/** Values that are given, not described: what looks like a reference there is none. */
const given = new Set(['example', 'examples', 'default', 'enum', 'const'])
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas'])

/** In no order that means anything. Values that stand in several places, as aliases do in YAML, are looked at once. */
export function* findReferences(file: Json): Generator<FoundReference> {
  const seen = new Set<Json>()
  const open: Visit[] = [{ value: file, name: '', parent: null, isMap: false }]
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, isMap } = visit
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const parent = visit
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries())
        open.push({ value: item, name: `[${at}]`, parent, isMap: false })
      continue
    }
    for (const [name, field] of Object.entries(value)) {
      if (name === '$ref' && typeof field === 'string' && !isMap) {
        yield { reference: field, place: () => placeOf(parent) }
      } else if (isMap || !(given.has(name) || name.startsWith('x-'))) {
        open.push({ value: field, name, parent, isMap: !isMap && maps.has(name) && isObject(field) })
      }
    }
  }
}

function placeOf(visit: Visit): string {
  const names: string[] = []
  for (let at: Visit | null = visit; at?.parent; at = at.parent) names.unshift(at.name)
  return names.join('.').replaceAll('.[', '[')
}
