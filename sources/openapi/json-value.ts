// Values as JSON and YAML give them, read by their own fields alone: a stranger may call a field `__proto__` or `constructor`.

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined where the value is no object, or has no such field of its own. */
export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Empty where it is no text. */
export function textOf(value: Json | undefined, name: string): string {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field.trim() : ''
}

/** Names and values; none where it is no object. */
export function entriesOf(value: Json | undefined, name: string): [string, Json][] {
  const field = fieldOf(value, name)
  return isObject(field) ? Object.entries(field) : []
}

/** Empty where it is no list. */
export function listOf(value: Json | undefined, name: string): Json[] {
  const field = fieldOf(value, name)
  return Array.isArray(field) ? field : []
}

/** The texts of a list. */
export function textsOf(value: Json | undefined, name: string): string[] {
  return listOf(value, name).filter((item) => typeof item === 'string')
}
