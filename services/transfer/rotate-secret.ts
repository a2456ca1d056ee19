// Encrypts the credentials of all sources under another LECTERN_SECRET. Can be repeated: what is encrypted under the new one stays.
import type { CredentialKeeper } from '../source/credentials.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { partsOf } from './kinds.ts'

export interface Rotated {
  /** Sources whose credentials are encrypted under the new secret. */
  sources: number
  /** Names of sources whose credentials neither secret opens: they have to be set again. */
  lost: string[]
}

export async function sealAgain(
  store: Store,
  old: CredentialKeeper,
  next: CredentialKeeper,
): Promise<Rotated> {
  const rotated: Rotated = { sources: 0, lost: [] }
  for (const { kind, scope } of await partsOf(store)) {
    for (const source of kind === 'source' ? await store.sources.all(scope as string) : []) {
      const isSealed = await sealSource(store, source, old, next)
      if (isSealed) rotated.sources += 1
      else if (isSealed === false) rotated.lost.push(source.name)
    }
  }
  return rotated
}

/** Null where it has none; false where neither opens them. */
async function sealSource(store: Store, first: Source, old: CredentialKeeper, next: CredentialKeeper) {
  let source: Source | null = first
  while (source !== null && source.credentials !== null) {
    const { uuid, credentials, revision } = source
    if (next.open(uuid, credentials) !== null) return true
    const opened = old.open(uuid, credentials)
    if (opened === null) return false
    const changed = { ...source, credentials: next.seal(uuid, opened), revision: revision + 1 }
    if (await store.sources.update(changed)) return true
    source = await store.sources.get(source.project, uuid)
  }
  return null
}
