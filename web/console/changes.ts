// Saves only changed fields, because another window may have changed the others.
import { useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { api } from './session.ts'

type Json = unknown
type Fields = Record<string, Json>

const isGroup = (value: Json): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Paths (`config.sync.schedule`) with the new values. A list is one value. */
export function findChanges(before: Json, after: Json, path = ''): Map<string, Json> {
  if (isGroup(before) && isGroup(after)) {
    const below = Object.keys(after).map((name) =>
      findChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
    )
    return new Map(below.flatMap((changes) => [...changes]))
  }
  return JSON.stringify(before) === JSON.stringify(after) ? new Map() : new Map([[path, after]])
}

/** `a.b → 1` as `{ a: { b: 1 } }`. */
function toBody(changes: Map<string, Json>): Fields {
  const body: Fields = {}
  for (const [path, value] of changes) {
    const names = path.split('.')
    const last = names.pop()!
    let group = body
    for (const name of names) {
      group[name] ??= {}
      group = group[name] as Fields
    }
    group[last] = value
  }
  return body
}

/** A field to be saved was changed elsewhere. `current`: the present state on the server. */
export class ChangedElsewhere<T> extends ApiError {
  current: T

  /** `theirs`: field → its new value on the server. */
  constructor(theirs: Map<string, Json>, current: T) {
    const names = [...theirs.keys()].join(', ')
    const complain = (value: Json) => [
      `was changed in another window meanwhile, to ${JSON.stringify(value)}; save again to keep what is here`,
    ]
    super(
      409,
      `Nothing was saved: somebody else changed ${names} meanwhile. What you entered is still here. Save again to overwrite the other change.`,
      'changed_elsewhere',
      Object.fromEntries([...theirs].map(([field, value]) => [field, complain(value)])),
    )
    this.current = current
  }
}

/** `readField({ a: { b: 1 } }, 'a.b')` → 1 */
export const readField = (value: Json, path: string): Json =>
  path.split('.').reduce((group, name) => (group as Fields)[name], value)

/** A copy of the value with a field replaced. */
export function withField<T>(value: T, path: string, field: Json): T {
  const [name = '', ...below] = path.split('.')
  const inner = below.length === 0 ? field : withField((value as Fields)[name], below.join('.'), field)
  return { ...value, [name]: inner }
}

interface Saving<T> {
  /** The state when the form was opened. */
  before: T
  /** The state in the form. */
  after: T
  /** Reads the present state, if the path itself cannot be read. */
  read?: () => Promise<T>
  /** Writes fields that have a separate call, and removes them from the changes. */
  writeApart?(changes: Map<string, Json>): Promise<void>
}

/**
 * PATCHes the changed fields. Returns the new state, or null if nothing was changed. Throws ChangedElsewhere if one of these
 * fields has changed since the form was opened.
 */
export async function saveChanges<T>(
  path: string,
  { before, after, read = () => api.get<T>(path), writeApart }: Saving<T>,
): Promise<T | null> {
  const changes = findChanges(before, after)
  if (changes.size === 0) return null
  const current = await read()
  const others = findChanges(before, pick(current, before))
  const mine = findChanges(pick(current, before), after)
  const clashes = [...others].filter(([field]) => changes.has(field) && mine.has(field))
  if (clashes.length > 0) throw new ChangedElsewhere(new Map(clashes), current)
  await writeApart?.(changes)
  return changes.size === 0 ? api.get<T>(path) : api.patch<T>(path, toBody(changes))
}

/** The state of a form after ChangedElsewhere: its own changes on top of the present state. */
export function keepChanges<T>(before: T, mine: T, current: T): T {
  if (isGroup(mine) && isGroup(before) && isGroup(current)) {
    const names = Object.keys(mine)
    return Object.fromEntries(
      names.map((name) => [name, keepChanges(before[name], mine[name], current[name])]),
    ) as T
  }
  return JSON.stringify(before) === JSON.stringify(mine) ? current : mine
}

/** Only the fields of the form. */
function pick(value: Json, shape: Json): Json {
  if (!isGroup(shape) || !isGroup(value)) return value
  return Object.fromEntries(Object.keys(shape).map((name) => [name, pick(value[name], shape[name])]))
}

interface Editing<T> {
  path: string
  /** The response when the form was opened. */
  opened: unknown
  /** The part of a response that the form writes. */
  toForm(answer: unknown): T
  /** If the path itself cannot be read. */
  read?: () => Promise<unknown>
  writeApart?: Saving<T>['writeApart']
}

/** The state and the actions of a form that edits an existing object. */
export function useEdit<T>({ path, opened, toForm, read = () => api.get(path), writeApart }: Editing<T>) {
  const [before, setBefore] = useState(() => toForm(opened))
  const [draft, setDraft] = useState(before)
  return {
    draft,
    setDraft,
    isChanged: findChanges(before, draft).size > 0,
    /** `after`: the object to send, if it differs from the typed one. Null if nothing was changed. */
    async save(after = draft): Promise<T | null> {
      try {
        const saving = { before, after, read: async () => toForm(await read()) }
        const saved = await saveChanges<T>(path, { ...saving, ...(writeApart && { writeApart }) })
        const now = toForm(saved ?? after)
        setBefore(now)
        // Keeps text that was typed meanwhile.
        setDraft((typed) => keepChanges(draft, typed, now))
        return saved
      } catch (error) {
        if (error instanceof ChangedElsewhere) {
          const current = toForm(error.current)
          setDraft(keepChanges(before, after, current))
          setBefore(current)
        }
        throw error
      }
    },
  }
}
