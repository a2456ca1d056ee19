// Who is signed in. The key is kept for this tab alone, and sent as a header: in no address, cookie or lasting storage.
import { createStore, type ReadonlyStore } from '../components/store.ts'
import { server } from './address.ts'
import { type ApiError, createApi } from './api.ts'
import type { OwnKey, Permission } from './rows.ts'

export interface Session {
  key: string
  own: OwnKey
}

const keyName = 'lectern-console-key'

const current = createStore<Session | null>(null)
/** Null: nobody is signed in. */
export const session: ReadonlyStore<Session | null> = current

/** Why the sign-in is shown, where there is a reason. */
const reason = createStore('')
export const signInReason: ReadonlyStore<string> = reason

let key: string | null = null

export const api = createApi({
  server,
  readKey: () => key,
  whenRefused(sentence) {
    if (current.value === null) return
    signOut()
    reason.value = sentence
  },
})

/** Throws ApiError where the key is no good. */
export async function signIn(text: string): Promise<void> {
  key = text.trim()
  try {
    const own = await api.get<OwnKey>('keys/own/')
    sessionStorage.setItem(keyName, key)
    reason.value = ''
    current.value = { key, own }
  } catch (error) {
    key = null
    throw error
  }
}

export function signOut(): void {
  key = null
  sessionStorage.removeItem(keyName)
  reason.value = ''
  current.value = null
}

/** Token of the invitation whose link was followed; null: none. */
export const invitation = createStore<string | null>(null)

/** Goes on with the tab's key, or with a link: `#link=…` or `#invitation=…`, which leave the address at once. */
export async function resumeSession(): Promise<void> {
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('link')
  const kept = sessionStorage.getItem(keyName)
  invitation.value = hash.get('invitation')
  if (hash.has('link') || hash.has('invitation'))
    history.replaceState(null, '', location.pathname + location.search)
  if (invitation.value !== null) return
  try {
    if (token !== null) await signIn((await api.post<{ key: string }>('keys/sign-in/', { token })).key)
    else if (kept !== null) await signIn(kept)
  } catch (error) {
    if ((error as ApiError).status === 401) sessionStorage.removeItem(keyName)
    reason.value = (error as ApiError).message
  }
}

/** Whether it is the admin key, or a session that the admin key began. */
export const isAdmin = () => current.value?.own.admin ?? false

/** Whether the signed-in key holds the permission: what it may not do is not shown. */
export function may(permission: Permission): boolean {
  return current.value?.own.permissions.includes(permission) ?? false
}
