// An object's schema with what rules ask of the object as a whole, told field by field where that can be.
import type { Demand, Schema } from './expression.ts'

export interface Fields {
  /** Fields that are told elsewhere: a rule about them is the core's alone. */
  without?: ReadonlySet<string> | undefined
  /** Names in the body → names of fields. */
  renamed?: Record<string, string> | undefined
}

/** The same schema where nothing is asked, or what is asked is not about the body alone. */
export function fold(object: Schema, demand: Demand, { without, renamed = {} }: Fields): Schema {
  if (typeof demand === 'boolean') return object
  if (namesOf(demand).some((name) => without?.has(name))) return object
  const shown = new Map(Object.entries(renamed).map(([name, field]) => [field, name]))
  return put(
    object,
    rename(demand, (field) => shown.get(field) ?? field),
  )
}

function put(object: Schema, demand: Schema): Schema {
  const {
    required = [],
    properties = {},
    allOf = [],
    ...rest
  } = demand as {
    required?: string[]
    properties?: Record<string, Schema>
    allOf?: Schema[]
  }
  const own = { ...(object.properties as Record<string, Schema>) }
  for (const [name, asked] of Object.entries(properties)) own[name] = narrow(own[name]!, asked)
  const all = [...new Set([...((object.required as string[]) ?? []), ...required])]
  const folded = { ...object, properties: own, ...(all.length > 0 && { required: all }), ...rest }
  return allOf.reduce(put, folded)
}

function narrow(schema: Schema, { not, ...asked }: { not?: Schema }): Schema {
  const types = schema.type
  const more: Schema = asked
  const isNullOut = not !== undefined && Array.isArray(types)
  const type = isNullOut ? types.find((each) => each !== 'null') : types
  const plain: Schema = { ...schema, ...(type !== undefined && { type }) }
  const isApart = Object.keys(more).every((name) => !(name in plain))
  // A second pattern or length stands beside the first.
  return isApart ? { ...plain, ...more } : { ...plain, allOf: [...((plain.allOf as Schema[]) ?? []), more] }
}

function namesOf(demand: Schema): string[] {
  return partsOf(demand).flatMap(({ required = [], properties = {} }) => [
    ...(required as string[]),
    ...Object.keys(properties as Schema),
  ])
}

function partsOf(demand: Schema): Schema[] {
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => (demand[name] as Schema[]) ?? [])
  return [demand, ...inner.flatMap(partsOf)]
}

function rename(demand: Schema, toShown: (field: string) => string): Schema {
  const entries = Object.entries(demand).map(([name, value]) => {
    if (name === 'required') return [name, (value as string[]).map(toShown)]
    if (name === 'properties') {
      return [
        name,
        Object.fromEntries(Object.entries(value as Schema).map(([field, each]) => [toShown(field), each])),
      ]
    }
    const isList = ['allOf', 'anyOf', 'oneOf'].includes(name)
    return [name, isList ? (value as Schema[]).map((each) => rename(each, toShown)) : value]
  })
  return Object.fromEntries(entries)
}
