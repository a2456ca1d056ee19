// Examples as they are shown: JSON, of a length that is read.
import type { Block } from '../../crawler/extract/page.ts'
import { isObject, type Json } from './json-value.ts'

/** Of one example, its lists and objects included. */
const maxValues = 300
const maxDepth = 12
const maxText = 4_000

export function showExample(value: Json): Block[] {
  const text = typeof value === 'string' ? value.slice(0, maxText) : JSON.stringify(shorten(value), null, 2)
  const shown = text.toWellFormed().replaceAll('\0', '').slice(0, maxText).trim()
  return shown === '' ? [] : [{ kind: 'code', text: shown }]
}

/** Values of YAML may stand in many places at once: a copy of all could be without end. */
function shorten(value: Json): Json {
  let left = maxValues
  function copy(value: Json, depth: number): Json {
    left -= 1
    if (typeof value === 'string') return value.length > 500 ? `${value.slice(0, 500)}…` : value
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth || left <= 0) return '…'
    if (Array.isArray(value)) return take(value).map((item) => copy(item, depth + 1))
    return Object.fromEntries(
      take(Object.entries(value)).map(([name, field]) => [name.slice(0, 200), copy(field, depth + 1)]),
    )
  }
  function take<Item>(items: Item[]): Item[] {
    return items.slice(0, Math.max(0, left))
  }
  return isObject(value) || Array.isArray(value) ? copy(value, 0) : value
}
